"""Commands as a user types them, in this process."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from napari_pogmdm.cli.main import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; give its exit code, output and errors."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["napari-pogmdm", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def succeed(run: Run) -> Callable[..., str]:
    """Run a command that ends well; give its output."""

    def call(*arguments: object) -> str:
        code, out, err = run(*arguments)
        assert code == 0, err
        return out

    return call


@pytest.fixture
def sentence(run: Run) -> Callable[..., str]:
    """Run a command that refuses its input; give the one sentence in which it does."""

    def call(*arguments: object) -> str:
        code, _, err = run(*arguments)
        assert code == 2
        assert "Traceback" not in err
        [line] = [line for line in err.splitlines() if line.startswith("napari-pogmdm: ")]
        return line.removeprefix("napari-pogmdm: ")

    return call


@pytest.fixture
def misuse(run: Run) -> Callable[..., str]:
    """Run a command whose options typer itself refuses; give what it says, without the frame it draws around it."""

    def call(*arguments: object) -> str:
        code, _, err = run(*arguments)
        assert code == 2
        assert "Traceback" not in err
        return re.sub(r"[\s│╭╮╰╯─]+", " ", err)

    return call


@pytest.fixture
def refuse(sentence: Callable[..., str], fastmri_file: Callable[..., Path], tmp_path: Path) -> Callable[..., None]:
    """Run a command that must refuse with certain words, and leave no file.

    ``{scan}`` stands for a valid scan, ``{folder}`` for an empty folder and ``{out}`` for a file to write.
    """

    def call(arguments: tuple[str, ...], words: str) -> None:
        scan, folder, out = fastmri_file(), tmp_path / "folder", tmp_path / "out.h5"
        folder.mkdir()
        assert words in sentence(*(part.format(scan=scan, out=out, folder=folder) for part in arguments))
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file1000000.h5", "folder"]
        assert not list(folder.iterdir())

    return call
