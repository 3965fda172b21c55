from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.data.result_file import result_file
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.contributions.reader import get_reader, kind_of, read
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.recording_reader import demo_recording, read_recording


@pytest.fixture
def finished(small_scan):
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.3))
    settings = replace(preset("fast"), iterations=2, injected_noise=0.5)
    return reconstruct(measurement, model=load_prior("flf"), preset=settings, chains=2)


def write(path: Path, result, slices: int = 1) -> Path:
    with result_file(path, slices) as file:
        for index in range(slices):
            file.add(index, result.arrays())
        file.record(result.record.to_json())
    return path


@pytest.mark.parametrize("path", ["lesson.pogmdm.h5", "file1000000.h5", ["a.h5", "b.h5"]])
def test_one_reader_takes_scans_results_and_recorded_runs(path):
    assert get_reader(path) is read


def test_without_a_viewer_a_recorded_run_gives_its_frames():
    recording = read_recording(demo_recording())
    assert kind_of(demo_recording()) == "recording"
    [(data, facts, kind)] = read(str(demo_recording()))
    assert (data.shape[0], kind) == (len(recording), "image")
    np.testing.assert_array_equal(data[-1], recording.picture("image", len(recording) - 1))
    assert facts["scale"] == (1.0, *recording.facts.pixel)


def test_without_a_viewer_a_scan_gives_its_image(fastmri_file):
    path = fastmri_file()
    assert kind_of(path) == "scan"
    [(data, facts, kind)] = read(str(path))
    assert (data.shape, kind) == ((24, 32), "image")
    assert facts["scale"] == pytest.approx((280 / 48, 162.8 / 40))


SPREAD = "spread of chains, not calibrated"


def test_a_calibrated_deviation_has_the_same_scale_in_every_file(tmp_path: Path, finished):
    calibrated = {"factor": 2.0, "coverage": {"1": 0.7}, "words": "calibrated"}
    record = replace(finished.record, sampler={**finished.record.sampler, "calibration": calibrated})
    path = write(tmp_path / "result.h5", replace(finished, record=record))
    layers = {facts["name"].split(": ")[1]: (data, facts) for data, facts, _ in read(str(path))}
    deviation, facts = layers["standard deviation"]
    np.testing.assert_allclose(deviation, 2 * finished.spread, rtol=1e-5)
    assert facts["contrast_limits"][1] == pytest.approx(0.1 * layers["reconstruction"][1]["contrast_limits"][1])


def test_a_result_gives_its_maps_with_the_record(tmp_path: Path, finished):
    path = write(tmp_path / "result.h5", finished)
    assert kind_of(path) == "result"
    layers = {facts["name"].split(": ")[1]: (data, facts) for data, facts, _ in read(str(path))}
    assert set(layers) == {"reconstruction", "mean of chains", SPREAD, "coil maps |s|"}
    image, facts = layers["reconstruction"]
    np.testing.assert_array_equal(image, finished.image)
    assert facts["metadata"]["pogmdm record"]["sampler"]["model"] == "flf"
    deviation, facts = layers[SPREAD]
    np.testing.assert_allclose(deviation, np.sqrt(finished.variance))
    assert 0.2 * deviation.max() < facts["contrast_limits"][1] <= deviation.max()
    assert layers["coil maps |s|"][0].shape == finished.coils.shape
    assert not np.iscomplexobj(layers["coil maps |s|"][0])


def test_a_result_with_several_sets_of_coil_maps_opens(tmp_path: Path, small_scan):
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.3))
    result = reconstruct(measurement, preset=replace(preset("fast"), iterations=2, map_sets=2))
    result.save(tmp_path / "result.h5")
    coils = next(data for data, facts, _ in read(str(tmp_path / "result.h5")) if "coil maps" in facts["name"])
    np.testing.assert_array_equal(coils, np.abs(result.coils))
    assert coils.shape == (2, 4, 48, 40)


def test_a_volume_keeps_its_slices(tmp_path: Path, finished):
    path = write(tmp_path / "result.h5", finished, slices=2)
    shapes = [data.shape for data, _, _ in read(str(path))]
    assert shapes[-1] == (2, *finished.image.shape)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("reconstruction", np.zeros((4, 4)), "reconstruction is not laid out"),
        ("reconstruction", np.full((1, 4, 4), np.nan), "NaN"),
        ("elephants", np.zeros(3), "holds no kspace"),
    ],
)
def test_files_of_another_kind_are_one_sentence(tmp_path: Path, name, value, sentence):
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file[name] = value
    with pytest.raises(InputError, match=sentence):
        read(str(path))
