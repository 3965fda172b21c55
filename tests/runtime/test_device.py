from __future__ import annotations

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.device import choose_device


def test_devices():
    assert choose_device("cpu").reason == "it was asked for"
    assert choose_device().name in {"cpu", "cuda", "mps"}
    with pytest.raises(InputError, match="unknown"):
        choose_device("abacus")
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="not available"):
            choose_device("cuda")
