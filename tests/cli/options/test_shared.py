"""Names in choices, help texts and completion come from their StrEnum, never from a list typed by hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path

import pytest
import typer
from typer.main import get_command_name
from typer.testing import CliRunner

from napari_pogmdm.cli import main
from napari_pogmdm.cli.commands.judging.evaluate import ReportLayout
from napari_pogmdm.cli.options.shared import ProgressStyle, SamplingOptions, completed, given_options, listed
from napari_pogmdm.data.bundled import BundledScan
from napari_pogmdm.evaluation.peer import Peer
from napari_pogmdm.physics.masks.names import Axis, MaskKind
from napari_pogmdm.prior.configuration import Conditioning, Further, Gain, Sharing, Variant
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.sampler.presets import PRESETS, Preset
from napari_pogmdm.recon.sampler.settings import Algorithm
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.rivals.names import Learner
from napari_pogmdm.runtime.device import Device
from napari_pogmdm.training.settings import NoiseDistribution, Weighting

CHOICES = {
    "--axis": tuple(Axis),
    "--conditioning": tuple(Conditioning),
    "--device": tuple(Device),
    "--gain": tuple(Gain),
    "--kind": tuple(MaskKind),
    "--method": tuple(Method),
    "--noise": tuple(NoiseDistribution),
    "--preset": tuple(Preset),
    "--progress": tuple(ProgressStyle),
    "--report": tuple(ReportLayout),
    "--rival": tuple(Learner),
    "--sharing": tuple(Sharing),
    "--variant": tuple(Variant),
    "--weighting": tuple(Weighting),
}
MORE_THAN_A_NAME = {  # a sampler with its model and preset after colons
    ("noise-map", "--method"),
    ("uncertainty", "--method"),
}
LISTED: dict[str, tuple[type[StrEnum], ...]] = {
    "--mask": (MaskKind,),
    "--methods": (Method,),
    "--model": (Variant, Further),
    "model": (Variant, Further),
    "source": (BundledScan,),
}
NAMES: tuple[type[StrEnum], ...] = (
    Algorithm,
    Axis,
    BundledScan,
    Device,
    Further,
    MaskKind,
    Method,
    Peer,
    Preset,
    Variant,
)
COMMANDS = [get_command_name(command.__name__) for command in main.COMMANDS]


@pytest.fixture
def options(succeed, monkeypatch) -> Callable[[str], dict[str, str]]:
    """Give the options and arguments of a command by name, each with its line of the command's help."""
    monkeypatch.setenv("COLUMNS", "2000")

    def read(command: str) -> dict[str, str]:
        lines = (line.strip(" │*") for line in succeed(command, "--help").splitlines() if line.startswith("│"))
        return {line.split()[0]: line for line in lines}

    return read


def choices_in(line: str) -> tuple[str, ...]:
    """What an option's line shows as its choices, such as ``<a|b>``; empty if it takes anything."""
    shown = re.search(r"[<\[]([^<>\[\]]*\|[^<>\[\]]*)[>\]]", line)
    return tuple(shown[1].split("|")) if shown else ()


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_takes_names_offers_exactly_those_there_are(options, command):
    for option, line in options(command).items():
        if option in CHOICES and (command, option) not in MORE_THAN_A_NAME:
            assert choices_in(line) == tuple(CHOICES[option]), option


@pytest.mark.slow
def test_every_kind_of_name_is_offered_somewhere(options):
    offered = {option for command in COMMANDS for option, line in options(command).items() if choices_in(line)}
    assert offered == set(CHOICES)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_takes_a_name_or_a_file_says_all_names(options, command):
    for option, line in options(command).items():
        for kind in LISTED.get(option, ()):
            assert set(re.findall(r"[\w-]+", line)) >= {*kind}, option


def words_in(path: Path) -> Iterator[tuple[int, set[str]]]:
    """The words of every string in a file, apart from its docstrings."""
    tree = ast.parse(path.read_text())
    said = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, set(re.findall(r"[\w-]+", node.value))


@pytest.mark.parametrize("path", sorted(Path(main.__file__).parent.rglob("*.py")), ids=lambda path: path.stem)
def test_no_list_of_names_is_typed_by_hand(path):
    for line, words in words_in(path):
        for kind in NAMES:
            if kind is Axis:  # rows and columns are words of their own, too; CHOICES has its options
                continue
            assert len(words & {*kind}) < 2, f"{path.name}:{line} spells out {kind.__name__}"


def test_training_begins_with_one_of_the_papers_parameterisations(options):
    assert f"[default: {Variant.FLF_TC}]" in options("train")["--variant"]


def test_names_are_listed_as_people_do_and_completed_as_shells_do():
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b or c"
    assert listed(["a", "b"], "and") == "a and b"
    assert completed(*MaskKind)("fastmri-") == ["fastmri-random", "fastmri-equispaced", "fastmri-matched"]
    assert completed(*MaskKind)("x") == []


def test_every_preset_and_variant_has_its_name():
    assert list(PRESETS) == list(Preset)


def test_mask_options_spell_out_a_recipe():
    assert SamplingOptions().recipe == MaskRecipe()
    options = SamplingOptions("radial", 3.0, 0.1, Axis.ROWS, 7)
    assert options.recipe == MaskRecipe("radial", 3.0, 0.1, 7, "rows")
    assert type(options.recipe.axis) is str


def test_options_that_stood_on_the_command_line_are_told_from_defaults():
    command = typer.Typer()

    @command.command()
    def show(context: typer.Context, one: int = 1, two: int = 2) -> None:
        typer.echo(f"{one} {two} " + ",".join(sorted(given_options(context))))

    assert CliRunner().invoke(command, ["--two", "2"]).stdout == "1 2 two\n"
    assert CliRunner().invoke(command, []).stdout == "1 2 \n"
