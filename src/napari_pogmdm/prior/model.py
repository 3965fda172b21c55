"""The prior p_theta(x, t): a product of Gaussian-mixture experts on filter responses."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior import conditioning, experts
from napari_pogmdm.prior.banks import gains_of, local_gains, local_spectra, resized_spectra
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.protocol import ArrayOrTensor, as_tensor, check_image, noise_level, real_images
from napari_pogmdm.prior.scores.local import (
    circular_adjoint,
    circular_responses,
    compiled_local_score,
    torch_local_score,
)
from napari_pogmdm.prior.scores.spectral import spectral_score
from napari_pogmdm.prior.scores.table import Table, build_table
from napari_pogmdm.prior.shearlets import shearlet_spectra
from napari_pogmdm.runtime.threads import fixed_blocks

CACHED_TABLES = 64  # noise levels, 0.35 MB each; `default` has 60, so that a second chain finds all of its own
CACHED_SPECTRA = 4  # image shapes; each takes 8 MB for 20 filters at 320 x 320, and few shapes are in use at a time


class Prior:
    """A learned density of images at every noise level, p(x, t) ∝ prod_l prod_k psi_k((K_k x)_l, t) (eq. model).

    ``sigma`` is always the noise standard deviation sqrt(2t). Images are tensors (..., height, width), periodic at
    their borders; a complex image is two independent real ones. An instance may be used from several threads, and sent
    to other processes.

    Parameters
    ----------
    configuration
        What it is made of.
    parameters
        Learned tensors by name, of the shapes in ``configuration.shapes``.
    name
        What to call it.
    information
        Whatever else its weight file says: how it was trained, when, on what.
    """

    def __init__(
        self,
        configuration: PriorConfiguration,
        parameters: Mapping[str, Tensor],
        name: str = "unnamed",
        information: Mapping[str, Any] | None = None,
    ) -> None:
        self.configuration = configuration
        self.name = name
        self.information = dict(information or {})
        self._parameters = {key: values.detach().cpu().double() for key, values in parameters.items()}
        self._weights = experts.filter_weights(configuration, self._parameters["weights"])
        self._reference: Tensor | None = None
        if configuration.family == "local":
            self._filters = self._parameters["filters"]
            self._gains = local_gains(self._filters, configuration.gain)
            self._norms = self._filters.square().sum((1, 2)).sqrt()
            self._compiled_filters = self._filters.float().contiguous().numpy()
        else:
            low_pass, fan = self._parameters["low_pass"], self._parameters["fan"]
            self._reference = shearlet_spectra(low_pass, fan, configuration.scales)
            self._filters = torch.fft.fftshift(torch.fft.ifft2(self._reference).real, dim=(-2, -1))
            self._gains = gains_of(self._reference.abs(), configuration.gain)
            self._norms = self._filters.square().sum((1, 2)).sqrt()
        self._lock = threading.Lock()
        self._tables: OrderedDict[float, Table] = OrderedDict()
        self._half_spectra: OrderedDict[tuple[Any, ...], Tensor] = OrderedDict()

    def __repr__(self) -> str:
        return f"<Prior {self.name}, {len(self._filters)} filters, {self.parameter_count} parameters>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Send to other processes what it was made of; lock, tables and spectra are made anew where it arrives."""
        return type(self), (self.configuration, self._parameters, self.name, self.information)

    @property
    def parameter_count(self) -> int:
        """Number of learned numbers."""
        return self.configuration.parameter_count

    @property
    def parameters(self) -> dict[str, Tensor]:
        """Learned tensors by name, in double precision."""
        return dict(self._parameters)

    @property
    def filters(self) -> Tensor:
        """Spatial kernels with their centre in the middle: (filters, v, v), or (filters, n, n) for shearlets."""
        return self._filters

    @property
    def gains(self) -> Tensor:
        """Gains nu_k of the filters, shape (filters,)."""
        return self._gains

    def spectra(self, shape: tuple[int, int]) -> Tensor:
        """Complex spectra of the filters on an image grid, un-normalised, shape (filters, height, width)."""
        if self._reference is None:
            return local_spectra(self._filters, shape)
        return resized_spectra(self._reference, shape)

    def variances(self, sigma: float) -> Tensor:
        """Variances sigma_k^2 of the experts at a noise level, shape (filters,)."""
        level = torch.tensor([noise_level(sigma)], dtype=torch.float64)
        return conditioning.variances(self.configuration, self._parameters, self._gains, level)[0]

    def potentials(self, grid: Tensor, sigma: float) -> Tensor:
        """Potentials -log psi_k on a grid of responses (points,), shape (filters, points)."""
        points = grid.detach().cpu().double()
        return torch.stack([experts.potential(points, *mixture) for mixture in self._mixtures(points, sigma)])

    @fixed_blocks()
    def responses(self, x: Tensor) -> Tensor:
        """Filter responses K_k x, shape (..., filters, height, width)."""
        planes, restore = self._planes(x)
        if self._reference is None:
            result = circular_responses(planes, self._filters.to(planes))
        else:
            half = self._half(planes)
            result = torch.fft.irfft2(half.conj() * torch.fft.rfft2(planes).unsqueeze(1), s=planes.shape[-2:])
        responses: Tensor = restore(result)
        return responses

    @fixed_blocks()
    def score(self, x: Tensor, sigma: float, out: Tensor | None = None, exact: bool = False) -> Tensor:
        """Score grad_x log p(x, t) = -sum_k K_k^T phi_k(K_k x).

        Parameters
        ----------
        x
            Image (..., height, width), real or complex.
        sigma
            Noise standard deviation sqrt(2t).
        out
            Like ``x``; receives the result if it is given.
        exact
            Evaluate the mixtures themselves instead of their table: the slow reference.
        """
        if exact:
            planes, restore = self._planes(x)
            result = restore(self._exact_score(planes, sigma))
            return result if out is None else out.copy_(result)
        return self._tabulated_score(x, self.table(sigma), slice(None), out)

    @fixed_blocks()
    def contribution(self, x: Tensor, sigma: float, k: int) -> Tensor:
        """Part of the score that one filter brings, -K_k^T phi_k(K_k x); the parts of all filters sum to the score."""
        if not 0 <= k < self.configuration.filters:
            raise InputError(f"{self.name} has no filter {k}; choose 0 to {self.configuration.filters - 1}.")
        return self._tabulated_score(x, self.table(sigma).of_filter(k), slice(k, k + 1))

    def denoise(self, x: ArrayOrTensor, sigma: float) -> ArrayOrTensor:
        """One-step empirical-Bayes estimate E[X_0 | X_t = x] = x + 2t score(x, t) (Tweedie's formula).

        Parameters
        ----------
        x
            Image (..., height, width), real or complex; a NumPy array gives an array back.
        sigma
            Noise standard deviation sqrt(2t), in the units of ``x``, whose white is about 1.
        """
        given = as_tensor(x)
        cleaned = self.score(given, sigma).mul_(noise_level(sigma) ** 2).add_(given)
        return cleaned if isinstance(x, Tensor) else cleaned.numpy()

    @fixed_blocks()
    def energy(self, x: Tensor, sigma: float) -> Tensor:
        """Negative log density up to a constant, exactly and differentiably: sum of all potentials, shape (...)."""
        responses = self.responses(x)
        parts = (responses.real, responses.imag) if responses.is_complex() else (responses,)
        total = torch.zeros(x.shape[:-2], dtype=parts[0].dtype, device=x.device)
        for part in parts:
            for k, mixture in enumerate(self._mixtures(part, sigma)):
                total = total + experts.potential(part[..., k, :, :], *mixture).sum((-2, -1))
        return total

    def table(self, sigma: float) -> Table:
        """Tabulated derivatives of the potentials at a noise level; the most recent levels are kept."""
        level = noise_level(sigma)
        with self._lock:
            if level in self._tables:
                self._tables.move_to_end(level)
                return self._tables[level]
        spreads = (self._norms * level).numpy()
        table = build_table(self._weights.numpy(), self.variances(level).numpy(), spreads, self.configuration.bound)
        with self._lock:
            self._tables[level] = table
            while len(self._tables) > CACHED_TABLES:
                self._tables.popitem(last=False)
        return table

    def _tabulated_score(self, x: Tensor, table: Table, chosen: slice, out: Tensor | None = None) -> Tensor:
        """Score of the chosen filters, whose derivatives stand in the table."""
        self._check(x)
        if self._reference is None and x.dtype in {torch.float32, torch.complex64} and x.device.type == "cpu":
            result = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
            compiled_local_score(x.resolve_conj().resolve_neg(), self._compiled_filters[chosen], table, result)
            return result
        planes, restore = self._planes(x)
        if self._reference is not None:
            result = restore(spectral_score(planes, self._half(planes)[chosen], table))
        else:
            result = restore(torch_local_score(planes, self._filters[chosen].to(planes), table))
        return result if out is None else out.copy_(result)

    def _mixtures(self, like: Tensor, sigma: float) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Weights, means and variance of each filter's mixture, on the device and in the type of ``like``."""
        positions = experts.means(self.configuration, like.dtype, like.device)
        spread = self.variances(sigma).to(like)
        weights = self._weights.to(like)
        return [(weights[k], positions, spread[k]) for k in range(self.configuration.filters)]

    def _exact_score(self, planes: Tensor, sigma: float) -> Tensor:
        total = torch.zeros_like(planes)
        half = None if self._reference is None else self._half(planes)
        for k, mixture in enumerate(self._mixtures(planes, sigma)):
            if half is None:
                kernel = self._filters[k : k + 1].to(planes)
                active = experts.activation(circular_responses(planes, kernel), *mixture)
                total -= circular_adjoint(active, kernel)
            else:
                responses = torch.fft.irfft2(half[k].conj() * torch.fft.rfft2(planes), s=planes.shape[-2:])
                active = torch.fft.rfft2(experts.activation(responses, *mixture))
                total -= torch.fft.irfft2(half[k] * active, s=planes.shape[-2:])
        return total

    def _half(self, planes: Tensor) -> Tensor:
        """Half-plane spectra for images like these; the most recent shapes are kept."""
        height, width = planes.shape[-2:]
        key = (height, width, planes.dtype, planes.device)
        with self._lock:
            if key in self._half_spectra:
                self._half_spectra.move_to_end(key)
                return self._half_spectra[key]
        full = self.spectra((height, width))[..., : width // 2 + 1]
        half = full.to(dtype=planes.dtype.to_complex(), device=planes.device).contiguous()
        with self._lock:
            self._half_spectra[key] = half
            while len(self._half_spectra) > CACHED_SPECTRA:
                self._half_spectra.popitem(last=False)
        return half

    def _check(self, x: Tensor) -> None:
        """Refuse what has no score."""
        check_image(x, self.name, self.configuration.filter_size if self._reference is None else 2)

    def _planes(self, x: Tensor) -> tuple[Tensor, Any]:
        """View an image batch as real planes (planes, height, width), with the way back for results of that layout."""
        self._check(x)
        return real_images(x)
