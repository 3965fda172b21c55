"""From the user's options to a pool: this process, several processes, or a connected cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.pool.address import KINDS, ClusterAddress, LocalAddress, SchedulerAddress, read_address
from napari_pogmdm.runtime.pool.pool import Here, Pool
from napari_pogmdm.runtime.pool.processes import TRIES, Processes

if TYPE_CHECKING:
    from distributed import Client

NEEDS_DASK = "--cluster: needs dask.distributed; install it with pip install 'napari-pogmdm[cluster]'."
_PATIENCE = 30.0  # seconds for a scheduler to answer, and for one that is running to have workers
_LOOPBACK = "127.0.0.1"  # nobody else on the network reaches workers of this machine


@contextmanager
def open_pool(
    cluster: str | None = None,
    processes: int = 1,
    *,
    prepare: Callable[[], None] | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Iterator[Pool]:
    """Give a place to run jobs in; what was started for it ends with the block.

    Parameters
    ----------
    cluster
        ``local``, ``local:N``, the address of a dask scheduler, or a file; see `read_address`. ``None`` stays here.
    processes
        Of this machine, where there is no cluster; one is this process itself.
    prepare
        Called first in each of them.
    tell
        Told, in a sentence, what the user should know: workers, and the address of dask's dashboard.
    """
    if cluster is None:
        yield Here() if processes <= 1 else Processes(processes, prepare)
        return
    if processes > 1:
        raise InputError("--jobs: cannot be combined with --cluster; give one of the two.")
    if find_spec("distributed") is None:
        raise InputError(NEEDS_DASK)
    address = read_address(cluster)
    from napari_pogmdm.runtime.pool.cluster import Cluster

    with ExitStack() as stack:
        client = _connect(address, stack)
        patience = _PATIENCE if isinstance(address, (LocalAddress, SchedulerAddress)) else None
        pool = Cluster(client, patience, tell)
        workers = "1 worker" if pool.places == 1 else f"{pool.places} workers"
        tell(f"Cluster: {workers} at {pool.address}; dashboard at {client.dashboard_link}")
        yield pool


def _connect(address: ClusterAddress, stack: ExitStack) -> Client:
    """Start what has to be started, and connect to it."""
    import dask
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is told in our own words
    # a job that killed its worker twice would do so again
    stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": TRIES - 1}))
    place: Any = address.address if isinstance(address, SchedulerAddress) else stack.enter_context(_started(address))
    try:
        return stack.enter_context(Client(place, timeout=_PATIENCE, set_as_default=False))
    except (OSError, ValueError) as error:  # a timeout is an OSError
        raise InputError(f"--cluster: no scheduler answers at {place}; is it running, and reachable?") from error


@contextmanager
def _started(address: ClusterAddress) -> Iterator[Any]:
    if isinstance(address, LocalAddress):
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=address.workers,
            threads_per_worker=1,
            host=_LOOPBACK,
            dashboard_address=f"{_LOOPBACK}:0",
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster:
            yield cluster
        return
    assert not isinstance(address, SchedulerAddress)
    module, name, package = KINDS[address.kind]
    try:
        kind = getattr(import_module(module), name)
    except ImportError as error:
        raise InputError(f"--cluster: {address.kind} needs {package}; install it with pip.") from error
    try:
        made = kind(**address.options)
        made.scale(address.workers)
    except Exception as error:  # whatever the queue, or dask's class for it, has to say
        raise InputError(f"--cluster: {address.kind} refuses: {error}") from error
    with made:
        yield made
