"""Compiled loops work without a folder to keep them in, and say so once."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
from numba import config
from numba.core.caching import FunctionCache

from napari_pogmdm.runtime import compiled as module
from napari_pogmdm.runtime.compiled import compiled


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture):
    """Sentences of this test."""
    module._say_that_nothing_is_kept.cache_clear()
    yield lambda: caplog.messages
    module._say_that_nothing_is_kept.cache_clear()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def make() -> list:
    def double(x):
        return 2 * x

    def triple(x):
        return 3 * x

    return [compiled()(double), compiled(fastmath=True)(triple)]


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_code_is_kept_where_it_can_be(folder, told):
    assert [function(7) for function in make()] == [14, 21]
    assert len(files(folder)) == 4
    [again, _] = make()
    assert again(7) == 14
    assert sum(again.stats.cache_hits.values()) == 1
    assert not told()


def test_without_any_folder_it_works_and_one_line_says_so(monkeypatch, told):
    monkeypatch.setattr(FunctionCache._impl_class, "_locator_classes", [])
    assert [function(7) for function in make()] == [14, 21]
    assert [line.partition(",")[0] for line in told()] == ["Compiled code cannot be kept"]


def test_on_a_full_disk_it_works_and_one_line_says_so(folder, told):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        assert [function(7) for function in make()] == [14, 21]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(told()) == 1


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x05K\x01."], ids=["empty", "other", "short"])
def test_a_damaged_cache_is_compiled_again(folder, told, content):
    make()[0](7)
    for path in files(folder):
        path.write_bytes(content)
    assert make()[0](7) == 14
    [again, _] = make()
    assert again(7) == 14
    assert sum(again.stats.cache_hits.values()) == 1  # it is whole again


def test_code_of_another_version_is_never_taken_for_this_one(folder, told):
    """Numba's own cache names a file before it is written; on a full disk an older file of that name would be run."""
    older, _ = make()
    assert older(7) == 14
    for path in folder.rglob("*.nbi"):
        path.unlink()  # as good as one of another version: numba begins to count files anew
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, before[1]))  # room for an index, and not for code
    try:
        newer, _ = make()
        assert newer(7.5) == 15.0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    last, _ = make()
    assert last(7.5) == 15.0
    assert last(7) == 14
