"""What is imported is declared, what is declared is used, and the linter has one version."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {name: set(listed) for name, listed in PROJECT["optional-dependencies"].items() if name != "all"}

IMPORTED_AS = {"pillow": "PIL", "scikit-image": "skimage", "lazy-loader": "lazy_loader", "pyyaml": "yaml"}
"""Packages whose module has another name."""

COMMANDS = {
    "coverage",
    "hatchling",
    "import-linter",
    "mkdocs-jupyter",
    "mkdocs-material",
    "mkdocstrings",
    "mypy",
    "npe2",
    "pytest",
    "pytest-qt",
    "ruff",
    "types-defusedxml",
}
"""Development tools that are run, or act on others, and need not be imported."""

BY_HAND = {"bm3d"}
"""What one benchmark compares with; docs/models.md says how to install it."""


def modules(requirements: set[str] | list[str]) -> set[str]:
    """Give the top-level modules that requirements such as ``h5py>=3.10`` bring."""
    names = (re.match(r"[\w.-]+", text)[0].lower() for text in requirements)
    return {IMPORTED_AS.get(name, name) for name in names}


@cache
def imported(folder: str) -> dict[str, set[str]]:
    """Give the foreign modules imported anywhere in a folder, each with the files that do."""
    found: dict[str, set[str]] = {}
    files = sorted((ROOT / folder).rglob("*.py"))
    own = {"napari_pogmdm", "_typeshed"}
    if (
        folder != "src"
    ):  # scripts import the ones beside them, tests their helpers, and both each other's, by bare names
        own |= {path.stem for beside in (folder, "tools", "tests") for path in (ROOT / beside).rglob("*.py")}
        own |= {path.name for beside in (folder, "tests") for path in (ROOT / beside).iterdir()}
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                named = [node.module]
            for module in {name.partition(".")[0] for name in named} - set(sys.stdlib_module_names) - own:
                found.setdefault(module, set()).add(str(path.relative_to(ROOT)))
    return found


@pytest.mark.slow
def test_what_the_package_imports_is_declared():
    everywhere = modules(PROJECT["dependencies"])
    extras = ("qt", "baselines", "nufft", "export", "cluster")
    optional = everywhere.union(*(modules(EXTRAS[extra]) for extra in extras))
    for module, files in imported("src").items():
        assert module in optional, f"{module} is imported by {sorted(files)} and not declared in pyproject.toml"
        if module in modules(EXTRAS["qt"]) - everywhere:
            assert all(file.startswith("src/napari_pogmdm/gui/") for file in files), (module, files)


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["tests", "benchmarks", "tools", "examples"])
def test_what_is_imported_beside_the_package_is_declared_too(folder):
    known = modules(PROJECT["dependencies"]).union(*map(modules, EXTRAS.values())) | BY_HAND
    assert set(imported(folder)) <= known


def test_what_is_declared_is_used():
    used = set().union(*(imported(folder) for folder in ("src", "tests", "benchmarks", "tools", "examples")))
    declared = modules(PROJECT["dependencies"]).union(*map(modules, EXTRAS.values()))
    assert declared - used <= COMMANDS


def test_the_extra_for_everything_names_all_others_that_users_have():
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert set(re.search(r"\[(.*)\]", everything)[1].split(",")) == EXTRAS.keys() - {"dev", "docs"}


def test_the_hook_formats_with_the_linter_that_is_installed():
    pinned = re.search(r"^ruff==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)[1]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.search(r"ruff-pre-commit\s+rev: v(\S+)", hooks)[1] == pinned


def test_every_declared_package_is_pinned():
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in (ROOT / "constraints.txt").open()}
    for text in set(PROJECT["dependencies"]).union(*EXTRAS.values()):
        assert re.match(r"[\w.-]+", text)[0].lower() in pinned, text
