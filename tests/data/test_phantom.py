from __future__ import annotations

import numpy as np

from napari_pogmdm.data.phantom import shepp_logan, smooth_phase


def test_the_phantom_is_the_same_head_at_every_size():
    small, large = shepp_logan((64, 48)), shepp_logan((256, 192))
    assert (small.dtype, small.shape) == (np.float32, (64, 48))
    assert small.min() == 0
    assert small.max() <= 1
    np.testing.assert_allclose(small, large.reshape(64, 4, 48, 4).mean(axis=(1, 3)), atol=0.12)
    assert np.abs(small - large.reshape(64, 4, 48, 4).mean(axis=(1, 3))).mean() < 0.005


def test_its_edges_are_not_jagged():
    values = np.unique(shepp_logan((64, 64)).round(3))
    assert len(values) > 40  # eleven ellipses alone would leave a dozen


def test_the_phase_is_a_smooth_bowl_of_its_own_for_every_seed():
    phase = smooth_phase((33, 40), np.random.default_rng(3))
    np.testing.assert_array_equal(phase, smooth_phase((33, 40), np.random.default_rng(3)))
    assert not np.array_equal(phase, smooth_phase((33, 40), np.random.default_rng(4)))
    for axis in (0, 1):
        assert np.abs(np.diff(phase, 3, axis=axis)).max() < 1e-5
        assert np.abs(np.diff(phase, axis=axis)).max() < 0.5
