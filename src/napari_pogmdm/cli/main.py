"""The commands of ``napari-pogmdm``."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from napari_pogmdm import __version__
from napari_pogmdm.cli.commands.bench import bench
from napari_pogmdm.cli.commands.convert import convert
from napari_pogmdm.cli.commands.doctor import doctor
from napari_pogmdm.cli.commands.info import info
from napari_pogmdm.cli.commands.judging.ablation import ablation
from napari_pogmdm.cli.commands.judging.compare import compare
from napari_pogmdm.cli.commands.judging.evaluate import evaluate
from napari_pogmdm.cli.commands.judging.noise_map import noise_map
from napari_pogmdm.cli.commands.judging.tune import tune
from napari_pogmdm.cli.commands.judging.uncertainty import calibrate, uncertainty
from napari_pogmdm.cli.commands.mask import mask
from napari_pogmdm.cli.commands.priors.denoise import denoise
from napari_pogmdm.cli.commands.priors.inspect import inspect
from napari_pogmdm.cli.commands.priors.models import models
from napari_pogmdm.cli.commands.priors.train import train
from napari_pogmdm.cli.commands.priors.train_network import train_network
from napari_pogmdm.cli.commands.priors.training_data import app as training_data
from napari_pogmdm.cli.commands.reconstruct import reconstruct
from napari_pogmdm.cli.commands.recording import recording
from napari_pogmdm.cli.commands.window import window
from napari_pogmdm.cli.renamed import with_present_names
from napari_pogmdm.cli.termination import Terminated, end_now, obeying_sigterm
from napari_pogmdm.errors import InputError

app = typer.Typer(
    help="Reconstruct undersampled MR scans. Research software, not for diagnosis.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (
    window,
    info,
    mask,
    reconstruct,
    convert,
    compare,
    evaluate,
    uncertainty,
    noise_map,
    recording,
    tune,
    ablation,
    calibrate,
    models,
    inspect,
    denoise,
    train,
    train_network,
    bench,
    doctor,
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(training_data, name="training-data")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"napari-pogmdm {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Reconstruct undersampled MR scans. Research software, not for diagnosis.

    Without a command, the window opens with the bundled scan.
    """
    if context.invoked_subcommand is None:
        window()


def main() -> None:
    """Run a command; bad input and a full memory end with one sentence and exit code 2."""
    try:
        with obeying_sigterm():
            app(with_present_names(sys.argv[1:]), prog_name="napari-pogmdm")
    except InputError as error:
        _refuse(str(error))
    except Terminated:
        end_now()
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith("napari_pogmdm"):
            raise
        _refuse(f"the package {error.name} is missing; install napari-pogmdm again, or see what doctor prints.")
    except Exception as error:
        if not _memory_is_full(error):
            raise
        _refuse("the memory is full; choose fewer virtual coils or a smaller scan, or close other programs.")


def _refuse(sentence: str) -> NoReturn:
    typer.secho(f"napari-pogmdm: {sentence}", fg="red", err=True)
    sys.exit(2)


def _memory_is_full(error: Exception) -> bool:
    if isinstance(error, MemoryError):
        return True
    from napari_pogmdm.runtime.memory import exhausted

    return exhausted(error)
