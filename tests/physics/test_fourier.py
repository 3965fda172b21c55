from __future__ import annotations

import pytest
import torch

from napari_pogmdm.physics.fourier import to_image, to_kspace

SHAPES = [(32, 24), (31, 24), (17, 23)]


PRECISIONS = [(torch.complex64, 1e-5), (torch.complex128, 1e-12)]


def random(*shape: int, dtype: torch.dtype = torch.complex128, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def relative(first: torch.Tensor, second: torch.Tensor) -> float:
    return float(torch.linalg.vector_norm(first - second) / torch.linalg.vector_norm(second))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_fourier_is_unitary_and_centred(shape, dtype, tolerance):
    x, k = random(*shape, dtype=dtype), random(*shape, dtype=dtype, seed=1)
    assert abs(torch.vdot(to_kspace(x).flatten(), k.flatten()) - torch.vdot(x.flatten(), to_image(k).flatten())) < (
        tolerance * torch.linalg.vector_norm(x) * torch.linalg.vector_norm(k)
    )
    assert relative(to_image(to_kspace(x)), x) < tolerance
    constant = to_kspace(torch.ones(shape, dtype=dtype))
    assert int(constant.abs().flatten().argmax()) == (shape[0] // 2) * shape[1] + shape[1] // 2
