"""Print the folders of the package, one line each, as ARCHITECTURE.md shows them.

    python tools/print_tree.py

What stands beside a folder is the first line of its docstring, so the tree says what the code says; a test compares it
with the document.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "napari_pogmdm"
FROM_THE_GROUND_UP = {
    "napari_pogmdm": (
        "runtime",
        "data",
        "physics",
        "prior",
        "rivals",
        "recon",
        "training",
        "runs",
        "evaluation",
        "gui",
        "cli",
    ),
    "gui": ("background", "widgets", "layers", "core", "docks", "contributions"),
}
"""Folders in the order of their imports, imported ones first; all others stand by name, after them."""


def tree(package: Path = PACKAGE) -> str:
    """Draw the folders below a package, each with what its docstring says first."""
    rows = list(_rows(package, 0))
    width = max(len(name) for name, _ in rows) + 2
    return "\n".join(f"{name:<{width}}{meaning}".rstrip() for name, meaning in rows)


def _rows(folder: Path, depth: int) -> Iterator[tuple[str, str]]:
    yield "  " * depth + folder.name + "/", _first_line(folder / "__init__.py")
    first = FROM_THE_GROUND_UP.get(folder.name, ())
    inside = {path.parent.name for path in folder.glob("*/__init__.py")}
    for name in (*(name for name in first if name in inside), *sorted(inside.difference(first))):
        yield from _rows(folder / name, depth + 1)


def _first_line(module: Path) -> str:
    return (ast.get_docstring(ast.parse(module.read_text())) or "").partition("\n")[0]


if __name__ == "__main__":
    sys.stdout.write(tree() + "\n")
