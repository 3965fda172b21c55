from __future__ import annotations

import numpy as np

from napari_pogmdm.physics.masks.kinds import make_mask


def test_poisson_points_keep_their_distance_and_thin_out():
    samples = make_mask("poisson", (128, 128), 6, 0.0, seed=1).samples
    density = [samples[inner].mean() for inner in (np.s_[48:80, 48:80], np.s_[:32, :32])]
    assert density[0] > 2 * density[1]
    points = np.argwhere(samples[:32, :32])
    gaps = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    assert gaps[gaps > 0].min() > 2
