"""The program as a whole: its commands, its help, its exit codes."""

from __future__ import annotations

import pytest

from napari_pogmdm import __version__
from napari_pogmdm.cli.main import COMMANDS


def test_unknown_options_and_missing_ones_exit_with_two(run, misuse):
    assert run("reconstruct", "demo")[0] == 2
    assert "No such option: --frobnicate" in misuse("reconstruct", "demo", "--frobnicate")
    assert run("frobnicate")[0] == 2
    assert run("--version")[0] == 0


def test_the_version_is_printed(succeed):
    assert succeed("--version") == f"napari-pogmdm {__version__}\n"


@pytest.mark.parametrize("command", [command.__name__ for command in COMMANDS])
def test_every_command_has_help(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "Usage" in out
    assert len(out) > 200


def test_the_program_lists_its_commands(succeed):
    text = succeed("--help")
    for command in COMMANDS:
        assert f" {command.__name__} " in text
    assert " record " not in text
