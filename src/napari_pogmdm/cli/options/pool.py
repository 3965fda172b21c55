"""Options that say where jobs run: in this process, in several, or on a cluster."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from napari_pogmdm.runtime.device import Device

if TYPE_CHECKING:
    from napari_pogmdm.runtime.pool.pool import Pool


@dataclass(frozen=True)
class PoolOptions:
    """Where jobs run: a group of options, see `grouped`.

    Attributes
    ----------
    jobs
        Processes of this machine.
    cluster
        What `read_address` takes; ``None`` for none.
    """

    jobs: Annotated[int, typer.Option(min=1, help="Processes of this machine to run side by side.")] = 1
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Run on dask workers: local or local:N on this machine, a scheduler such as tcp://host:8786, or a "
            "file that names one or a queue (see docs/cluster.md).",
            metavar="local[:N]|ADDRESS|FILE",
        ),
    ] = None

    @property
    def elsewhere(self) -> bool:
        """Whether jobs leave this process."""
        return self.jobs > 1 or self.cluster is not None

    def device(self, wanted: Device | str) -> Device | str:
        """Give the device to ask for: workers share their machines, so that they compute on a CPU unless told to."""
        return Device.CPU if self.elsewhere and wanted == Device.AUTO else wanted

    def found(self, source: str) -> str:
        """Name a file so that a worker finds it that stands in another folder."""
        from napari_pogmdm.reading import is_file

        return str(Path(source).absolute()) if self.elsewhere and is_file(source) else source

    @contextmanager
    def open(self) -> Iterator[Pool]:
        """Start or connect to what is asked for; it ends, or is left, with the block."""
        from napari_pogmdm.runtime.pool.connect import open_pool

        with open_pool(self.cluster, self.jobs, prepare=_prepare, tell=lambda text: typer.echo(text, err=True)) as pool:
            yield pool


def _prepare() -> None:
    """Make a process one that shares the machine, and ends its own programs when it is told to end."""
    import torch

    from napari_pogmdm.cli.termination import end_now

    torch.set_num_threads(1)
    signal.signal(signal.SIGTERM, lambda *_: end_now())
