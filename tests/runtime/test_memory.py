from __future__ import annotations

import os

import torch

from napari_pogmdm.runtime import memory
from napari_pogmdm.runtime.memory import free_memory, keep_freed_memory


def test_free_memory_is_what_the_system_says(monkeypatch, tmp_path):
    told = {"SC_AVPHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", told.__getitem__)
    monkeypatch.setattr(memory, "_TOLD_BY_LINUX", tmp_path / "nothing")
    assert free_memory(torch.device("cpu")) == 4_096_000
    (tmp_path / "nothing").write_text("MemFree: 12 kB\nMemAvailable: 3456 kB\n")
    assert free_memory(torch.device("cpu")) == 3456 * 1024


def test_a_system_that_does_not_say_is_taken_to_have_some(monkeypatch, tmp_path):
    def silent(_: str) -> int:
        raise ValueError("unrecognised")

    monkeypatch.setattr(os, "sysconf", silent)
    monkeypatch.setattr(memory, "_TOLD_BY_LINUX", tmp_path / "nothing")
    assert free_memory(torch.device("cpu")) == 2 * 2**30


def test_a_graphics_card_is_asked_for_its_own(monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (123, 456))
    assert free_memory(torch.device("cuda")) == 123


def test_asking_to_keep_freed_memory_is_harmless_anywhere(monkeypatch):
    asked: list[object] = []
    monkeypatch.setattr("napari_pogmdm.runtime.memory.sys.platform", "win32")
    monkeypatch.setattr("napari_pogmdm.runtime.memory.ctypes.CDLL", lambda *names: asked.append(names))
    keep_freed_memory.__wrapped__()
    assert not asked
    monkeypatch.undo()
    keep_freed_memory()
