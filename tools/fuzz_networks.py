"""Networks of others: a checkpoint of ``torch.save`` and an exported program, and ways to damage what is inside."""

from __future__ import annotations

import io
import random
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import fuzz_damage as damage
import torch
from fuzz_readers import Reader

from napari_pogmdm.rivals.exported import load_exported
from napari_pogmdm.rivals.torch_file import read_torch_tensors


class _Shrink(torch.nn.Module):
    """The score of white noise."""

    def __init__(self) -> None:
        super().__init__()
        self.one = torch.nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor, sigma: torch.Tensor) -> torch.Tensor:
        """Divide by the variance."""
        return -x / (self.one + sigma[:, None, None, None] ** 2)


@cache
def _program() -> bytes:
    stream = io.BytesIO()
    torch.export.save(torch.export.export(_Shrink(), (torch.zeros(1, 1, 16, 16), torch.ones(1))), stream)
    return stream.getvalue()


def _checkpoint() -> bytes:
    stream = io.BytesIO()
    torch.save({"state_dict": {"one.weight": torch.ones(3, 4), "two.bias": torch.zeros(5)}, "epoch": 3}, stream)
    return stream.getvalue()


def damaged_archive(content: bytes, rng: random.Random) -> bytes:
    """Damage the bytes of one member, whose sums are made to fit, or any bytes."""
    if rng.random() < 0.3:
        return damage.damaged_bytes(content, rng)
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(stream, "w") as after:
        members = before.infolist()
        chosen = rng.choice(members)
        for member in members:
            held = before.read(member)
            after.writestr(member.filename, damage.damaged_bytes(held, rng) if member is chosen and held else held)
    return stream.getvalue()


def _scores(folder: Path) -> list[Any]:
    return [load_exported(folder / "a.pt2").score(torch.zeros(16, 16), 0.1)]


def _tensors(folder: Path) -> list[Any]:
    return list(read_torch_tensors(folder / "a.pt").values())[:0]  # numbers of any size are weights, too


def networks() -> list[Reader]:
    """All of them."""
    return [
        Reader("checkpoint of a rival, .pt", "a.pt", _checkpoint, damaged_archive, _tensors),
        Reader("exported score, .pt2", "a.pt2", _program, damaged_archive, _scores),
    ]
