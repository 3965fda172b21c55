from __future__ import annotations

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.encoding import nufft as module


def test_without_finufft_one_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'napari-pogmdm\[nufft\]'"):
        module.nufft(torch.zeros(8, 8, dtype=torch.complex64), torch.zeros(4, 2))
