from __future__ import annotations

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import NoticeKind, as_notice


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (InputError("mask: too small."), NoticeKind.ERROR, "mask: too small."),
        (MemoryError(), NoticeKind.MEMORY, "scan.h5: the memory is full; choose the CPU"),
        (torch.OutOfMemoryError("CUDA"), NoticeKind.MEMORY, "scan.h5: the memory is full"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), NoticeKind.MEMORY, "scan.h5: the memory is full"),
        (FileNotFoundError(2, "No such file"), NoticeKind.ERROR, "scan.h5: No such file; is the file still there?"),
        (ValueError("odd\nsecond line"), NoticeKind.ERROR, "scan.h5: failed unexpectedly (ValueError: odd)."),
        (ValueError(), NoticeKind.ERROR, "scan.h5: failed unexpectedly (ValueError: no reason given)."),
    ],
)
def test_every_exception_is_one_sentence(error, kind, text):
    notice = as_notice(error, "scan.h5")
    assert notice.kind is kind
    assert notice.text.startswith(text)
    assert "\n" not in notice.text
