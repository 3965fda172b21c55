"""What a sampler knows between two substeps, and what it says when it cannot go on."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from napari_pogmdm.arrays import shapes
from napari_pogmdm.errors import InputError


@dataclass(frozen=True, eq=False, repr=False)
class SamplerState:
    """All that is needed to go on.

    Attributes
    ----------
    image
        (chains, rows, columns), complex or, for real images, real; with several map sets (chains, sets, rows, columns).
    coils
        (chains, coils, rows, columns); with several map sets (chains, sets, coils, rows, columns).
    iteration
        Iterations finished.
    substep
        Index of the substep that comes next.
    noise
        One generator state a chain.
    step_size
        The corrector's last step eps, per chain (mean of real and imaginary part); zero before the first.
    data_noise
        Standard deviation of the noise in the data as known so far, per chain.
    previous
        The image as the last estimate found it, from which splitting takes its momentum; like ``image``.
    """

    image: Tensor
    coils: Tensor
    iteration: int
    substep: int
    noise: tuple[Tensor, ...]
    step_size: Tensor
    data_noise: Tensor
    previous: Tensor

    def __repr__(self) -> str:
        chains = f"{len(self.noise)} chains, " if len(self.noise) > 1 else ""
        return f"<SamplerState {chains}iteration {self.iteration}, substep {self.substep}, {shapes(self.image[0])}>"


class Diverged(InputError):  # noqa: N818 - it says what happened, as Cancelled does
    """A run left all bounds; ``state`` is the last good one."""

    def __init__(self, message: str, state: SamplerState) -> None:
        super().__init__(message)
        self.state = state

    def __reduce__(self) -> tuple[type[Diverged], tuple[str, SamplerState]]:
        return Diverged, (str(self), self.state)
