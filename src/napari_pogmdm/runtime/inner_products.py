"""Whether torch gets complex inner products right: builds that mix two kinds of BLAS, such as Debian's 2.6, give 0."""

from __future__ import annotations

import torch

from napari_pogmdm.errors import InputError

_LENGTH = 64  # entries: enough for torch to ask BLAS


def multiplies() -> bool:
    """Whether they are right."""
    ones = torch.ones(_LENGTH, dtype=torch.complex64)
    return bool(torch.vdot(ones, ones) == _LENGTH)


def check_inner_products() -> None:
    """Refuse to go on where they are wrong: conjugate gradients would give an image, and a bad one."""
    if not multiplies():
        raise InputError(
            f"torch {torch.__version__}: this build gets complex inner products wrong, on which the method rests; "
            "install torch with pip instead."
        )
