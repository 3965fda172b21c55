from __future__ import annotations

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.compression import compress_coils

SHAPE = (96, 80)


def test_compression_keeps_the_asked_coils_and_says_how_much_energy(kspace):
    compression = compress_coils(kspace, 6)
    assert compression.kept_energy == pytest.approx(1)
    torch.testing.assert_close(root_sum_of_squares(compression(kspace)), root_sum_of_squares(kspace))
    fewer = compress_coils(kspace, 3)
    kept = fewer(kspace)
    assert kept.shape == (3, *SHAPE)
    ratio = float(kept.abs().square().sum() / kspace.abs().square().sum())
    assert fewer.kept_energy == pytest.approx(ratio, abs=1e-4)
    assert 0.5 < ratio < 1
    torch.testing.assert_close(fewer.matrix @ fewer.matrix.conj().T, torch.eye(3, dtype=torch.complex64))


@pytest.mark.parametrize("count", [0, 7])
def test_compression_to_impossible_counts_is_refused(kspace, count):
    with pytest.raises(InputError, match="from 1 to 6"):
        compress_coils(kspace, count)
