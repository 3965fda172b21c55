from __future__ import annotations

import numpy as np

from napari_pogmdm.recon.sampler.moments import Moments


def test_running_moments_are_mean_and_variance():
    samples = np.random.default_rng(0).normal(3, 2, (50, 4, 5))
    moments = Moments.empty((4, 5))
    assert moments.variance.max() == 0
    for image in samples:
        moments = moments.add(image)
    np.testing.assert_allclose(moments.mean, samples.mean(axis=0))
    np.testing.assert_allclose(moments.variance, samples.var(axis=0, ddof=1))
