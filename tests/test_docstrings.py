"""Sections of docstrings are complete, and in one dialect: a name on a line of its own, its meaning indented below."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import napari_pogmdm

SOURCE = Path(napari_pogmdm.__file__).parent
ROOMS = sorted(path.name for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())

MOST_WITHOUT_SECTION = 4  # parameters that one sentence can still tell of

Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def sections(text: str) -> dict[str, list[str]]:
    """Names that each section of a docstring tells of, as they stand there."""
    found: dict[str, list[str]] = {}
    lines = inspect.cleandoc(text).splitlines()
    current: list[str] | None = None
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"-{3,}", below) and line:
            current = found.setdefault(line, [])
        elif current is not None and line and not line[0].isspace() and not re.fullmatch(r"-{3,}", line):
            current.append(line)
    return found


def names(entries: list[str]) -> list[str]:
    """Single names of entries such as ``rows, columns``."""
    return [name.strip().lstrip("*") for entry in entries for name in entry.split(",")]


def command_options(node: Documented) -> set[str]:
    """Parameters and fields that are options of a command, whose annotation says for the terminal what they mean."""
    told = (part for part in ast.walk(node) if isinstance(part, (ast.arg, ast.AnnAssign)) and part.annotation)
    return {
        part.arg if isinstance(part, ast.arg) else ast.unparse(part.target)
        for part in told
        if re.match(r"Annotated\[|\w+(Option|Argument)s?$", ast.unparse(part.annotation))
    }


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Parameters that a caller gives."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    return [one.arg for one in every if one is not None and one.arg not in {"self", "cls"}]


def fields(node: ast.ClassDef) -> list[str]:
    """Public fields of a dataclass, but for settings, whose declarations say what they mean."""
    declared = (part for part in node.body if isinstance(part, ast.AnnAssign))
    return [
        part.target.id
        for part in declared
        if isinstance(part.target, ast.Name)
        and not part.target.id.startswith("_")
        and not (isinstance(part.value, ast.Call) and ast.unparse(part.value.func) == "setting")
    ]


def is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)


def complaints(node: Documented) -> Iterator[str]:
    """Tell what is missing, too much or written differently in the docstring of a function or class."""
    told = sections(ast.get_docstring(node) or "")
    heading = "Attributes" if isinstance(node, ast.ClassDef) and is_dataclass(node) else "Parameters"
    other = {"Attributes": "Parameters", "Parameters": "Attributes"}[heading]
    if isinstance(node, ast.ClassDef) and is_dataclass(node):
        expected = fields(node)
    elif isinstance(node, ast.ClassDef):
        constructor = next((part for part in node.body if getattr(part, "name", "") == "__init__"), None)
        expected = parameters(constructor) if isinstance(constructor, ast.FunctionDef) else []
    else:
        expected = parameters(node)
    if other in told and (heading == "Attributes" or not isinstance(node, ast.ClassDef)):
        yield f"says {other}, not {heading}"
    if heading not in told:
        if re.search(r"parameters see `\w+`", ast.get_docstring(node) or ""):
            return
        expected = [name for name in expected if name not in command_options(node)]
        if len(expected) > MOST_WITHOUT_SECTION and not node.name.startswith("_"):
            yield f"has no {heading}, although there are {len(expected)}"
        return
    for entry in told[heading]:
        if not re.fullmatch(r"\*{0,2}\w+(, \*{0,2}\w+)*", entry):
            yield f"writes {entry!r}"
    found = names(told[heading])
    if sorted(found) != sorted(expected):
        yield f"{heading}: tells of {', '.join(found)}; there are {', '.join(expected)}"


def documented(source: str) -> Iterator[Documented]:
    """Functions and classes of a module, however deep, that have a docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Documented) and ast.get_docstring(node):
            yield node


@pytest.mark.parametrize("room", ROOMS)
def test_sections_of_docstrings_are_complete_and_in_one_dialect(room):
    place = SOURCE / room
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    assert files
    found = [
        f"{file.relative_to(SOURCE)}:{node.lineno}: {node.name} {complaint}"
        for file in files
        for node in documented(file.read_text(encoding="utf-8"))
        for complaint in complaints(node)
    ]
    assert found == []
