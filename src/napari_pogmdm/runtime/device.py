"""Choosing the device to compute on: CPU, CUDA or MPS."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from napari_pogmdm.errors import InputError


class Device(StrEnum):
    """Where to compute, as one asks for it."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"
    MPS = "mps"


@dataclass(frozen=True)
class DeviceChoice:
    """A device that was chosen.

    Attributes
    ----------
    name
        As torch calls it.
    reason
        Why it was chosen, as half a sentence.
    """

    name: str
    reason: str


def choose_device(wish: str = "auto") -> DeviceChoice:
    """Pick the fastest device there is, or the one asked for if it is there."""
    import torch

    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wish == "auto":
        name = next(name for name, there in available.items() if there)
        return DeviceChoice(name, "no CUDA or MPS device was found" if name == "cpu" else "it is the fastest one here")
    if wish not in available:
        raise InputError(f"device: unknown {wish!r}; choose from {', '.join(Device)}.")
    if not available[wish]:
        raise InputError(f"device: {wish} is not available on this computer; use auto or cpu.")
    return DeviceChoice(wish, "it was asked for")
