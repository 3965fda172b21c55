"""What the documents name exists: files, modules, classes, functions, tests, pages, commands and their options."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
import typer

from napari_pogmdm.cli.main import app
from napari_pogmdm.recon.sampler.settings import SamplerSettings

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "napari_pogmdm"
PAGES = sorted(
    (*(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")), *(ROOT / "docs").rglob("*.md"))
)
FOLDERS = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
PROGRAM = typer.main.get_command(app)
COMMAND = re.compile(r"(?:^|[\s`/])napari-pogmdm ([a-z][^`#\n]*)", re.MULTILINE)
SCRIPT = re.compile(r"\b((?:benchmarks|tools)/\w+\.py)([^`#\n]*)")
ROW = re.compile(r"^\| (`.*?) \|.*\| `([\w/]+\.py)` \|$", re.MULTILINE)


def page(path: Path) -> str:
    return str(path.relative_to(ROOT))


def quoted(text: str) -> set[str]:
    """Give what stands between backticks, outside of blocks of code."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)))


@cache
def names_in(module: Path) -> frozenset[str]:
    """Give what a module defines, `Class.member` included."""
    found = set()
    for node in ast.parse(module.read_text()).body:
        found |= _names(node)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}" for member in node.body for name in _names(member)}
    return frozenset(found)


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    if isinstance(node, ast.ImportFrom | ast.Import):
        return {alias.asname or alias.name for alias in node.names}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def exists(dotted: str) -> bool:
    """Whether a name such as ``physics.sense.Sense.forward`` is a folder, a module, or defined in one."""
    parts = dotted.removeprefix("napari_pogmdm.").split(".")
    for count in range(len(parts), 0, -1):
        path = PACKAGE.joinpath(*parts[:count])
        if count == len(parts) and (path / "__init__.py").is_file():
            return True
        if path.with_suffix(".py").is_file():
            return count == len(parts) or ".".join(parts[count:]) in names_in(path.with_suffix(".py"))
    return dotted == "napari_pogmdm"


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_files_that_are_named_exist(path):
    for name in quoted(path.read_text()):
        for file in re.findall(r"(?<![\w<>./*-])[\w./-]+\.(?:py|pyi|sh)\b", name):
            assert any((folder / file).exists() for folder in (ROOT, PACKAGE, path.parent)), file


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_modules_and_what_is_in_them_exist(path):
    for name in quoted(path.read_text()):
        first, _, rest = name.partition(".")
        if re.fullmatch(r"[\w.]+", name) and rest and (first in FOLDERS or first == "napari_pogmdm"):
            assert name.endswith((".py", ".pyi", ".yaml")) or exists(name), name


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_imports_that_are_shown_can_be_made(path):
    public = names_in(PACKAGE / "__init__.pyi") | {"__version__"}
    for module, names in re.findall(r"^ *from (napari_pogmdm[\w.]*) import (.+)$", path.read_text(), re.MULTILINE):
        for name in re.findall(r"\w+", names):
            assert name in public if module == "napari_pogmdm" else exists(f"{module}.{name}"), f"{module}.{name}"
    for name in re.findall(r"\bpg\.(\w+)", path.read_text()):
        assert name in public, f"pg.{name}"


def joined(text: str) -> str:
    """Put commands that go over several lines on one."""
    return re.sub(r" *\\\n\s*", " ", text)


def named_options(words: str) -> set[str]:
    return {option.partition("=")[0] for option in re.findall(r"(?<!\S)--?[a-z][\w=-]*", words)}


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_commands_that_are_shown_have_the_options(path):
    for words in COMMAND.findall(joined(path.read_text())):
        command = PROGRAM
        rest = words.split()
        while rest and rest[0] in getattr(command, "commands", {}):
            command = command.commands[rest.pop(0)]
        assert not hasattr(command, "commands"), f"napari-pogmdm has no command {words}"
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert named_options(words) <= known | {"--help"}, words
        if "--rival" not in words:
            settings = set(re.findall(r"--(?:set|vary) (\w+)=", words))
            assert settings <= {field.name for field in fields(SamplerSettings)}, words


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_scripts_that_are_shown_have_the_options(path):
    for script, words in SCRIPT.findall(joined(path.read_text())):
        source = (ROOT / script).read_text()
        for option in named_options(words):
            assert f'"{option}"' in source, f"{script} {option}"


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_targets_of_make_that_are_shown_exist(path):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^ {4}|`)make ([a-z-]+)", path.read_text(), re.MULTILINE)) <= targets


def test_a_wrong_command_would_be_found():
    """The patterns above find commands in blocks and in running text, with the options of all of their lines."""
    block = "    .venv/bin/napari-pogmdm tune A.h5 --vary a=1 \\\n        -o b  # --not\n"
    assert COMMAND.findall(joined(block)) == ["tune A.h5 --vary a=1 -o b  "]
    assert named_options("tune A.h5 --vary a=1 -o b --limit=8 C4/8 -1") == {"--vary", "-o", "--limit"}
    assert COMMAND.findall("see `napari-pogmdm models`.") == ["models"]
    assert SCRIPT.findall("`python benchmarks/busy.py --rounds 2`") == [("benchmarks/busy.py", " --rounds 2")]


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_tests_that_are_named_exist(path):
    defined = set(re.findall(r"def (test_\w+)", "".join(file.read_text() for file in (ROOT / "tests").rglob("*.py"))))
    assert {name for name in quoted(path.read_text()) if re.fullmatch(r"test_\w+", name)} <= defined


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_links_lead_somewhere(path):
    for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text()):
        assert link.startswith("http") or (path.parent / link).exists(), link


def test_the_words_of_the_architecture_live_where_it_says():
    rows = ROW.findall((ROOT / "ARCHITECTURE.md").read_text())
    assert len(rows) > 15
    for words, file in rows:
        assert set(re.findall(r"`(\w+)`", words)) <= names_in(PACKAGE / file), (words, file)


def test_the_glossary_names_code_that_there_is():
    code = "\n".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    rows = re.findall(r"^\|.*\| ([^|]*) \|$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}
    assert len(names) > 40
    for name in names:
        assert re.search(rf"\b{name.rpartition('.')[2]}\b", code), name


def test_every_decision_is_in_the_index():
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\(([\w-]+\.md)\)", (folder / "README.md").read_text())
    assert sorted(listed) == sorted(path.name for path in folder.glob("*.md") if path.name != "README.md")


def test_the_architecture_fits_two_screens():
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 130  # a screen upright has 65
