from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from napari_pogmdm.data.acquisition import Acquisition, Header
from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulated_coils
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image, to_kspace
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.algorithms.map_sets import more_sets
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.state import load_state, save_state
from napari_pogmdm.recon.stepper import run

SETTINGS = replace(preset("fast"), map_sets=2, iterations=8)


@pytest.fixture(scope="module")
def prior():
    return load_prior("flf-tc")


@pytest.fixture(scope="module")
def wrapped() -> tuple[Acquisition, Measurement]:
    """A phantom of 96 x 96 whose field of view ends after 60 columns: what lies beyond comes in again elsewhere."""
    large = (96, 96)
    phase = np.exp(1j * smooth_phase(large, np.random.default_rng(0)))
    coil_images = simulated_coils(6, large) * (shepp_logan(large) * phase)
    folded = np.zeros((6, 96, 60), dtype=np.complex128)
    np.add.at(folded, (slice(None), slice(None), np.arange(96) % 60), coil_images)
    noise = 0.005 * np.random.default_rng(1).standard_normal((2, *folded.shape))
    kspace = to_kspace(torch.from_numpy(folded)).numpy() + noise[0] + 1j * noise[1]
    header = Header(encoded_matrix=(96, 60), recon_matrix=(96, 60))
    acquisition = Acquisition(kspace.astype(np.complex64), "wrapped", header)
    return acquisition, undersample(acquisition, make_mask("cartesian", (96, 60), 2, 0.2, seed=3))


def test_two_sets_see_through_a_wrapped_field_of_view(prior, wrapped):
    acquisition, measurement = wrapped
    reference = reference_image(acquisition)
    assert reference is not None
    psnr = [
        metrics(reference, reconstruct(measurement, model=prior, preset=replace(SETTINGS, map_sets=sets)).image).psnr
        for sets in (1, 2)
    ]
    assert psnr[1] > psnr[0] + 2


@pytest.mark.parametrize("stride", [1, 4])
def test_further_sets_are_orthogonal_and_of_unit_size(stride):
    coil_images = torch.randn(6, 20, 22, dtype=torch.complex64, generator=torch.Generator().manual_seed(0))
    first = coil_images / root_sum_of_squares(coil_images)
    sets = more_sets(coil_images, first, 3, stride)
    gram = torch.einsum("airc,birc->abrc", sets.conj(), sets)
    torch.testing.assert_close(gram, torch.eye(3, dtype=gram.dtype)[..., None, None].expand_as(gram), rtol=0, atol=1e-3)


def test_few_pixels_are_enough_for_smooth_maps(wrapped):
    _, measurement = wrapped
    images = to_image(measurement.kspace)
    first = starting_coils(measurement, "newton")
    fine, few = (more_sets(images, first, 2, stride)[1] for stride in (1, 4))
    bright = root_sum_of_squares(images) > 0.3
    overlap = torch.linalg.vecdot(fine, few, dim=0).abs()[bright]
    assert float(overlap.quantile(0.2)) > 0.9


def test_a_second_set_finds_the_second_signal():
    """Two signals of independent texture and different coils share every pixel."""
    generator = torch.Generator().manual_seed(0)
    maps = torch.linalg.qr(torch.randn(4, 4, dtype=torch.complex64, generator=generator))[0][:, :2]
    signals = torch.randn(2, 40, 40, dtype=torch.complex64, generator=generator)
    coil_images = torch.einsum("ik,krc->irc", maps, signals)
    first = maps[:, 0, None, None].expand(4, 40, 40)
    second = more_sets(coil_images, first, 2)[1]
    agreement = torch.einsum("i,irc->rc", maps[:, 1].conj(), second).abs()
    assert float(agreement.min()) > 0.95


def test_states_of_two_sets_are_saved_and_shown(prior, wrapped, tmp_path: Path):
    _, measurement = wrapped
    settings = replace(SETTINGS, injected_noise=0.5, iterations=4)
    sampler = make_sampler(measurement, prior, settings, seeds=(1, 2))
    state = sampler.step(sampler.start())
    assert state.image.shape == (2, 2, 96, 60)
    assert state.coils.shape == (2, 2, 6, 96, 60)
    save_state(state, tmp_path / "state.safetensors")
    resumed = load_state(tmp_path / "state.safetensors")
    after, again = sampler.step(sampler.substep(state)), sampler.step(sampler.substep(resumed))
    assert torch.equal(after.image, again.image)
    shown = sampler.estimate(after, 1).magnitude
    expected = root_sum_of_squares((after.image[1][:, None] * after.coils[1]).sum(dim=0))
    torch.testing.assert_close(shown, expected, rtol=1e-3, atol=1e-4)
    assert sampler.residual_kspace(after).shape == (6, 96, 60)
    assert sampler.misfit(after) < 0.5
    alone, _ = run(make_sampler(measurement, prior, settings, seeds=(2,)))
    together, _ = run(make_sampler(measurement, prior, settings, seeds=(1, 2), coils=sampler._first_coils))
    torch.testing.assert_close(together.image[1], alone.image[0], rtol=1e-3, atol=1e-3)


def test_maps_that_are_not_orthogonal_interfere_in_the_image_that_is_shown(prior, wrapped):
    _, measurement = wrapped
    sampler = make_sampler(measurement, prior, SETTINGS, seeds=(1,))
    state = sampler.start()
    alike = replace(state, coils=state.coils[:, :1].expand_as(state.coils), image=torch.ones_like(state.image))
    torch.testing.assert_close(sampler.estimate(alike).magnitude, torch.full((96, 60), 2.0), rtol=1e-4, atol=1e-4)
    opposite = replace(alike, image=torch.stack((alike.image[:, 0], -alike.image[:, 1]), dim=1))
    assert float(sampler.estimate(opposite).magnitude.max()) < 1e-4


def test_only_splitting_has_several_sets(prior, wrapped):
    _, measurement = wrapped
    with pytest.raises(InputError, match="map_sets: more than one needs the splitting algorithm"):
        make_sampler(measurement, prior, replace(preset("paper"), map_sets=2))
