"""What is built and published: the wheel, and the documentation site's table of contents."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from napari_pogmdm import __version__

ROOT = Path(__file__).parent.parent
MADE_WITH_THE_SITE = {"index.md", "architecture.md", "contributing.md", "changelog.md", "roadmap.md"} | {
    "python.md",
    "commands.md",
    "gallery.md",
}
LARGEST_WHEEL = 6_000_000  # bytes; a download that a lecture's wireless network stands


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_is_small_and_has_what_runs(wheel) -> None:
    assert wheel.stat().st_size <= LARGEST_WHEEL
    names = set(ZipFile(wheel).namelist())
    assert {"napari_pogmdm/napari.yaml", "napari_pogmdm/py.typed", "napari_pogmdm/__init__.pyi"} <= names
    for path in (ROOT / "src" / "napari_pogmdm").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(ROOT / "src").as_posix() in names, path


def test_the_wheel_has_the_pages_that_the_window_opens_without_their_pictures(wheel) -> None:
    names = ZipFile(wheel).namelist()
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {f"napari_pogmdm/docs/{page}" for page in pages} <= set(names)
    assert not [name for name in names if name.startswith("napari_pogmdm/docs/") and not name.endswith(".md")]


def test_every_page_stands_in_the_table_of_contents_of_the_site() -> None:
    listed = set(re.findall(r": ([\w/-]+\.(?:md|ipynb))$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    docs = ROOT / "docs"
    pages = {
        path.relative_to(docs).as_posix() for pattern in ("*.md", "notebooks/*.ipynb") for path in docs.glob(pattern)
    }
    assert pages - {"README.md"} <= listed
    assert listed <= pages | MADE_WITH_THE_SITE | {"decisions/README.md"}


def test_the_versions_agree() -> None:
    assert f"version: {__version__}" in (ROOT / "CITATION.cff").read_text()
    assert __version__ in (ROOT / "CHANGELOG.md").read_text()
