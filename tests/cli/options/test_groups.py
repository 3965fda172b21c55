"""Dataclasses of options become options of a command."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from napari_pogmdm.cli.options.groups import grouped


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Inner:
    colour: Annotated[Colour, typer.Option(help="A colour.")] = Colour.RED
    size: int = 3


@dataclass(frozen=True)
class Outer:
    weight: Annotated[float, typer.Option()]
    inner: Inner = field(default_factory=Inner)
    name_: Annotated[str, typer.Option("--name", help="A name.")] = "none"


app = typer.Typer()


@app.command()
@grouped
def show(thing: Annotated[str, typer.Argument()], *, outer: Outer, flag: bool = False) -> None:
    """Show a thing."""
    typer.echo(f"{thing} {outer} {flag}")


def call(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def test_fields_are_options_and_arrive_as_their_group():
    given = call("lamp", "--weight", "2", "--colour", "blue", "--name", "x", "--flag")
    assert given == f"lamp {Outer(2.0, Inner(Colour.BLUE, 3), 'x')} True"


def test_defaults_are_those_of_the_fields():
    assert call("lamp", "--weight", "1.5") == f"lamp {Outer(1.5)} False"


def test_a_field_without_a_default_is_required():
    result = CliRunner().invoke(app, ["lamp"])
    assert result.exit_code == 2
    assert "--weight" in result.output


def test_help_and_docstring_are_those_of_the_command():
    text = call("--help")
    for word in ("Show a thing.", "--colour", "red|blue", "A colour.", "--size", "--name", "--flag"):
        assert word in text
    assert "--outer" not in text
    assert "--inner" not in text


def test_a_command_without_groups_stays_as_it_is():
    @grouped
    def plain(one: int, two: int = 2) -> None:
        assert (one, two) == (1, 2)

    plain(one=1, two=2)
    with pytest.raises(TypeError):
        plain(three=3)
