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


def choose_device(device: str = Device.AUTO) -> DeviceChoice:
    """Pick the fastest device there is, or the one asked for if it is there.

    Parameters
    ----------
    device
        One of `Device`.
    """
    import torch

    available = {
        Device.CUDA: torch.cuda.is_available(),
        Device.MPS: torch.backends.mps.is_available(),
        Device.CPU: True,
    }
    if device == Device.AUTO:
        found = next(name for name, there in available.items() if there)
        reason = "no CUDA or MPS device was found" if found is Device.CPU else "it is the fastest one here"
        return DeviceChoice(found.value, reason)
    if device not in {*available}:
        raise InputError(f"device: unknown {device!r}; choose from {', '.join(Device)}.")
    if not available[Device(device)]:
        raise InputError(f"device: {device} is not available on this computer; use auto or cpu.")
    return DeviceChoice(str(device), "it was asked for")
