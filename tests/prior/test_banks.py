from __future__ import annotations

import pytest
import torch

from napari_pogmdm.prior.banks import local_gains
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.model import Prior


def one_gaussian(kernel: torch.Tensor, bound: float = 0.5) -> Prior:
    """A prior with one filter whose mixture is, but for weights of 1e-14, a single Gaussian at zero."""
    configuration = PriorConfiguration(filter_count=1, filter_size=kernel.shape[-1], bound=bound)
    half = torch.full((1, 63), 1e-14, dtype=torch.float64)
    half[0, 0] = 1 - 124e-14
    return Prior(configuration, {"weights": half, "filters": kernel[None]})


def test_gain_enters_squared() -> None:
    """sigma_k^2 = sigma_0^2 + nu_k^2 2t with nu_k = max |F f_k|: doubling a filter quadruples the added variance."""
    kernel = torch.zeros(5, 5, dtype=torch.float64)
    kernel[2, 2], kernel[2, 3] = -1.0, 1.0
    assert local_gains(kernel[None], "max").item() == pytest.approx(2.0)
    assert local_gains(kernel[None], "rms").item() == pytest.approx(2.0**0.5)  # the norm of the filter
    sigma = 0.1
    for factor in (1.0, 2.0):
        prior = one_gaussian(factor * kernel)
        added = prior.variances(sigma).item() - (1 / 124) ** 2
        assert added == pytest.approx((2 * factor) ** 2 * sigma**2)


@pytest.mark.parametrize("kind", ["sh-1", "sh-2", "flf"])
@pytest.mark.parametrize("shape", [(96, 96), (64, 150), (40, 33), (257, 130)])
def test_filters_and_spectra_are_the_same_operator_on_any_size(make, kind: str, shape: tuple[int, int]) -> None:
    """Responses by the spectra and the adjoint obey <K x, r> = <x, K^T r>, and the gains do not depend on the size."""
    prior = make.rough_prior(kind)
    image = make.piecewise_image(*shape)
    responses = prior.responses(image)
    spectra = prior.spectra(shape)
    torch.testing.assert_close(responses, torch.fft.ifft2(spectra.conj() * torch.fft.fft2(image)).real)
    other = make.noise_like(responses)
    adjoint = torch.fft.ifft2((spectra * torch.fft.fft2(other)).sum(0)).real
    assert (responses * other).sum().item() == pytest.approx((image * adjoint).sum().item(), rel=1e-9)
    assert (spectra.abs().amax((1, 2)) <= prior.gains * 1.02).all()
