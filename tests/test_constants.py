"""Numeric constants say why: a unit, a source or a reason stands beside each."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import napari_pogmdm

SOURCE = Path(napari_pogmdm.__file__).parent
ROOMS = sorted(path.name for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())


def is_numeric(value: ast.expr) -> bool:
    """Whether an expression is a number, or arithmetic, a collection or a mapping with numbers in it."""
    match value:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float() | complex()):
            return True
        case ast.UnaryOp(operand=operand):
            return is_numeric(operand)
        case ast.BinOp(left=left, right=right):
            return is_numeric(left) or is_numeric(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
            return any(is_numeric(part) for part in parts)
    return False


def named(target: ast.expr) -> list[str]:
    """Names in capitals that an assignment gives."""
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return [part.id for part in parts if isinstance(part, ast.Name) and part.id.isupper()]


def commented_lines(source: str) -> tuple[set[int], set[int]]:
    """Lines that hold a comment, and those that hold nothing else."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    places = [
        (token.start[0], token.line.lstrip().startswith("#")) for token in tokens if token.type == tokenize.COMMENT
    ]
    return {line for line, _ in places}, {line for line, alone in places if alone}


def is_text(statement: ast.stmt | None) -> bool:
    """Whether a statement is a bare string: the docstring of the constant above it."""
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


def constants(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line and name of every numeric constant of a module and its classes, and whether it says why.

    It does so by a comment on its lines, by one directly above it or above the unbroken group of assignments that it
    stands in, or by a docstring directly below.
    """
    tree = ast.parse(source)
    commented, alone = commented_lines(source)
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for body in bodies:
        covered = -1  # last line of the group of assignments that a comment stands above
        for statement, following in zip(body, [*body[1:], None], strict=True):
            if isinstance(statement, ast.Assign):
                target = statement.targets[0]
            elif isinstance(statement, ast.AnnAssign):
                target = statement.target
            else:
                continue
            last = statement.end_lineno or statement.lineno
            if statement.lineno - 1 in alone or statement.lineno - 1 == covered:
                covered = last
            if statement.value is None or not is_numeric(statement.value):
                continue
            lines = set(range(statement.lineno, last + 1))
            told = bool(lines & commented) or covered == last or is_text(following)
            for name in named(target):
                yield statement.lineno, name, told


def unexplained(place: Path) -> list[str]:
    """Every numeric constant in a file or folder that does not say why."""
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    return [
        f"{file.relative_to(SOURCE)}:{line}: {name}"
        for file in files
        for line, name, told in constants(file.read_text(encoding="utf-8"))
        if not told
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_every_numeric_constant_says_why(room):
    assert (SOURCE / room).exists()
    assert unexplained(SOURCE / room) == []


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("LIMIT = 3", False),
        ("LIMIT = 3  # bytes", True),
        ("# bytes\nLIMIT = 3", True),
        ("# bytes\n\nLIMIT = 3", False),
        ("# bytes and seconds\nOTHER = 2\nLIMIT = 3", True),
        ("# seconds\nOTHER = 2\n\nLIMIT = 3", False),
        ("OTHER = 'a'  # bytes\nLIMIT = 3", False),
        ('LIMIT = 3\n"""Bytes."""', True),
        ("LIMIT: int = 2**20", False),
        ("class A:\n    LIMIT = -1", False),
        ("LIMIT = {\n    'a': 1,  # byte\n}", True),
        ("LOW, LIMIT = 1, 2", False),
    ],
)
def test_the_rule_sees_comments_beside_above_and_docstrings_below(source, told):
    assert {name: said for _, name, said in constants(source)}["LIMIT"] is told


def test_the_rule_leaves_names_and_texts_alone():
    assert list(constants("NAME = 'a'\nlimit = 3\nKINDS = ('a', 'b')\nFLAG = True")) == []
