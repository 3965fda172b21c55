from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from matplotlib.image import imread

from napari_pogmdm.evaluation.method_names import SamplerMethod
from napari_pogmdm.evaluation.uncertainty import spreads
from napari_pogmdm.evaluation.uncertainty_figure import save_spreads
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.sampler.presets import preset


def test_means_deviations_and_curves_are_drawn(small_scan, tmp_path: Path):
    masks = [make_mask("cartesian", small_scan.shape, acceleration, 0.2) for acceleration in (2, 3)]
    settings = replace(preset("fast"), iterations=3, injected_noise=0.5)
    found = list(spreads(small_scan, masks, SamplerMethod(settings, chains=2)))
    assert found[0].words.startswith("not an uncertainty")
    save_spreads([replace(one, factor=2.0) for one in found], tmp_path / "u.png", "title")
    picture = imread(tmp_path / "u.png")
    assert picture.shape[1] == 1035
    assert len({tuple(pixel) for row in picture[::7] for pixel in row[::7]}) > 50
