"""Arrays along a trajectory become measurements; what is wrong with them is said in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.recon.measure import measure


def test_complete_k_space_is_sampled_along_a_trajectory_and_measured_samples_are_kept(acquisition):
    made = make_trajectory("golden-radial", acquisition.shape, 24)
    simulated = measure(acquisition, trajectory=made, coils=0)
    assert simulated.kspace.shape == (6, len(made.positions))
    samples = simulated.kspace.numpy() * simulated.scale
    for places, kspace in (
        (made.positions, samples),
        (made.positions.reshape(24, -1, 2), samples.reshape(6, 24, -1)),
        (made, samples),
    ):
        again = measure(kspace, trajectory=places, shape=acquisition.shape, coils=0)
        np.testing.assert_allclose(again.kspace.numpy(), simulated.kspace.numpy(), rtol=1e-5)
        assert again.shape == acquisition.shape
    from_array = measure(acquisition.kspace, trajectory=made.positions, coils=0)
    np.testing.assert_array_equal(from_array.kspace.numpy(), simulated.kspace.numpy())


def test_the_first_image_has_the_size_and_nearly_the_brightness_of_the_full_one(acquisition):
    full = measure(acquisition, coils=0)
    along = measure(acquisition, trajectory=make_trajectory("radial", acquisition.shape, 120), coils=0)
    assert along.scale == pytest.approx(full.scale, rel=0.15)
    assert along.first_images.shape == (6, *acquisition.shape)
    assert along.gridded.shape == (6, *acquisition.shape)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"trajectory": np.zeros((400, 2), dtype=np.float32)}, "has 400 positions, but k-space has 500 samples"),
        ({"trajectory": np.zeros((500, 3))}, r"expected \(samples, 2\)"),
        ({"trajectory": np.full((500, 2), np.nan)}, "NaN or infinite"),
        ({"trajectory": np.full((500, 2), 0.6)}, r"\[-0.5, 0.5\)"),
        ({"trajectory": np.full((500, 2), 0.4)}, "no sample in the centre of k-space"),
        ({"trajectory": None}, r"has shape \(3, 500\)"),
        ({"trajectory": "radial"}, "is not an array"),
        ({"shape": None}, "needs the size of the image"),
        ({"kspace": np.full((3, 500), np.nan, dtype=np.complex64)}, "NaN or infinite samples"),
        ({"kspace": np.zeros((3, 500))}, "k-space is complex"),
        ({"kspace": np.zeros((3, 500), dtype=np.complex64)}, "is zero"),
        ({"mask": np.ones((64, 64), dtype=bool)}, "not both"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(change, said):
    rng = np.random.default_rng(0)
    places = (rng.random((500, 2)) * 0.9 - 0.45).astype(np.float32)
    places[0] = 0
    given = {"kspace": rng.normal(size=(3, 500)) + 1j, "trajectory": places, "shape": (64, 64)} | change
    with pytest.raises(InputError, match=said) as caught:
        measure(given.pop("kspace"), **given)
    assert "\n" not in str(caught.value)
