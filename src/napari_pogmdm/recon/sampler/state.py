"""The state of a sampler between two substeps, its file, and the error that is raised when it cannot go on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from napari_pogmdm.arrays import shapes
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.reading import reading


@dataclass(frozen=True, eq=False, repr=False)
class SamplerState:
    """Everything that is needed to continue a run.

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
        One generator state for each chain.
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
    """A run diverged; ``state`` is the last good one."""

    def __init__(self, message: str, state: SamplerState) -> None:
        super().__init__(message)
        self.state = state

    def __reduce__(self) -> tuple[type[Diverged], tuple[str, SamplerState]]:
        return Diverged, (str(self), self.state)


def save_state(state: SamplerState, path: Path) -> None:
    """Write a state."""
    tensors = {"image": state.image, "coils": state.coils, "step_size": state.step_size}
    tensors |= {"data_noise": state.data_noise, "previous": state.previous}
    tensors |= {f"noise{chain}": values for chain, values in enumerate(state.noise)}
    facts = json.dumps({"iteration": state.iteration, "substep": state.substep, "chains": len(state.noise)})
    copies = {name: values.cpu().contiguous().clone() for name, values in tensors.items()}  # two may be the same one
    write_file(path, save(copies, {"state": facts}))


def load_state(path: Path, device: str | torch.device = "cpu") -> SamplerState:
    """Read what `save_state` wrote."""
    with reading(path, "sampler state"), safe_open(path, framework="pt") as file:
        facts = json.loads(file.metadata()["state"])
        return SamplerState(
            image=file.get_tensor("image").to(device),
            coils=file.get_tensor("coils").to(device),
            iteration=int(facts["iteration"]),
            substep=int(facts["substep"]),
            noise=tuple(file.get_tensor(f"noise{chain}") for chain in range(facts["chains"])),
            step_size=file.get_tensor("step_size"),
            data_noise=file.get_tensor("data_noise"),
            previous=file.get_tensor("previous").to(device),
        )
