"""A network denoiser as a prior: its score is what it removes, divided by the variance of the noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from napari_pogmdm.prior.networks.configuration import NetworkConfiguration
from napari_pogmdm.prior.networks.unet import DenoisingUNet
from napari_pogmdm.prior.protocol import ArrayOrTensor, as_tensor, check_image, noise_level, real_images

SMALLEST_SIGMA = 1e-3  # below, nothing was learned; the score stays what it is there
_LEAST_SIDE = 4  # pixels; mirrored borders need a few


class NetworkPrior:
    """A prior that is known by its denoiser alone: score(x, sigma) = (D(x, sigma) - x) / sigma^2 (Tweedie's formula).

    It does what samplers ask of a prior, but has no filters, potentials or energy: nothing says that its score is
    the gradient of any density. A complex image is two independent real ones, as for `Prior`. An instance may be used
    from several threads, and sent to other processes.

    Parameters
    ----------
    configuration
        What it is made of.
    parameters
        Learned tensors by name, as `network_shapes` lists them.
    name
        What to call it.
    information
        Whatever else its weight file says.
    """

    def __init__(
        self,
        configuration: NetworkConfiguration,
        parameters: Mapping[str, Tensor],
        name: str = "unnamed",
        information: Mapping[str, Any] | None = None,
    ) -> None:
        self.configuration = configuration
        self.name = name
        self.information = dict(information or {})
        self._parameters = {key: values.detach().cpu().float() for key, values in parameters.items()}
        self._networks: dict[tuple[torch.dtype, torch.device], DenoisingUNet] = {}

    def __repr__(self) -> str:
        return f"<NetworkPrior {self.name}, {self.parameter_count} parameters>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Send to other processes what it was made of."""
        return type(self), (self.configuration, self._parameters, self.name, self.information)

    @property
    def parameter_count(self) -> int:
        """Number of learned numbers."""
        return sum(values.numel() for values in self._parameters.values())

    @property
    def parameters(self) -> dict[str, Tensor]:
        """Learned tensors by name."""
        return dict(self._parameters)

    def score(self, x: Tensor, sigma: float) -> Tensor:
        """Score of images (..., height, width), real or complex, at a noise level sqrt(2t)."""
        level = max(noise_level(sigma), SMALLEST_SIGMA)
        check_image(x, self.name, _LEAST_SIDE)
        planes, restore = real_images(x)
        with torch.no_grad():
            cleaned = self._network(planes).denoise(planes, level)
        score: Tensor = restore((cleaned - planes) / level**2)
        return score

    def denoise(self, x: ArrayOrTensor, sigma: float) -> ArrayOrTensor:
        """One-step estimate E[X_0 | X_t = x]; a NumPy array gives an array back.

        Parameters
        ----------
        x
            Image (..., height, width), real or complex.
        sigma
            Noise standard deviation sqrt(2t), in the units of ``x``.
        """
        given = as_tensor(x)
        cleaned = self.score(given, sigma).mul_(noise_level(sigma) ** 2).add_(given)
        return cleaned if isinstance(x, Tensor) else cleaned.numpy()

    def _network(self, like: Tensor) -> DenoisingUNet:
        """Network on the device and in the type of an image."""
        key = (like.dtype, like.device)
        if key not in self._networks:
            network = DenoisingUNet(self.configuration.channels, self.configuration.blocks)
            network.load_state_dict(self._parameters)
            network.requires_grad_(False).eval()
            network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
            self._networks[key] = network.to(device=like.device, dtype=like.dtype)
        return self._networks[key]


def network_shapes(configuration: NetworkConfiguration) -> dict[str, tuple[int, ...]]:
    """Shape of every learned tensor of a network by name."""
    with torch.device("meta"):
        network = DenoisingUNet(configuration.channels, configuration.blocks)
    return {name: tuple(values.shape) for name, values in network.state_dict().items()}
