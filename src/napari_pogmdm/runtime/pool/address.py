"""How the user names a cluster: ``local``, ``local:4``, an address, or a file."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from napari_pogmdm.errors import InputError

FORMS = "local, local:N, an address such as tcp://host:8786, or a file"
MOST_WORKERS = 1024  # of one machine, and of one request to a queue; more is a slip of the finger
KINDS = {
    "slurm": ("dask_jobqueue", "SLURMCluster", "dask-jobqueue"),
    "pbs": ("dask_jobqueue", "PBSCluster", "dask-jobqueue"),
    "sge": ("dask_jobqueue", "SGECluster", "dask-jobqueue"),
    "lsf": ("dask_jobqueue", "LSFCluster", "dask-jobqueue"),
    "htcondor": ("dask_jobqueue", "HTCondorCluster", "dask-jobqueue"),
    "kubernetes": ("dask_kubernetes.operator", "KubeCluster", "dask-kubernetes"),
}
"""Clusters that a file can ask for by name: module, class, and the package that brings them."""
_LARGEST_FILE = 2**20  # bytes; a page of text is plenty
_ADDRESS = re.compile(r"(tcp|tls|ws|wss)://[\w.\-\[\]:]+:\d{1,5}")


@dataclass(frozen=True)
class LocalAddress:
    """Workers on this machine.

    Attributes
    ----------
    workers
        How many.
    """

    workers: int


@dataclass(frozen=True)
class SchedulerAddress:
    """A scheduler that is running already.

    Attributes
    ----------
    address
        Such as ``tcp://host:8786``.
    """

    address: str


@dataclass(frozen=True)
class QueueAddress:
    """A cluster to ask a queue, or Kubernetes, for.

    Attributes
    ----------
    kind
        One of `KINDS`.
    workers
        How many to ask for.
    options
        Keywords of dask's own class: plain values.
    """

    kind: str
    workers: int
    options: dict[str, Any] = field(default_factory=dict)


ClusterAddress = LocalAddress | SchedulerAddress | QueueAddress


def read_address(text: str) -> ClusterAddress:
    """Read what ``--cluster`` says; nothing is connected to yet.

    Parameters
    ----------
    text
        `FORMS`. A file is a scheduler file, as ``dask scheduler --scheduler-file`` writes it, or names a kind of
        cluster, a number of workers and options, in JSON or YAML.
    """
    name, colon, count = text.partition(":")
    if name == "local":
        return LocalAddress(_number(count, text) if colon else _processors())
    if _ADDRESS.fullmatch(text):
        return SchedulerAddress(text)
    found = False
    with suppress(OSError, ValueError):  # a name that no file can have
        found = Path(text).is_file()
    if found:
        return _from_file(Path(text))
    raise InputError(f"--cluster: {text!r} is none of these: {FORMS}.")


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _number(count: object, said: object) -> int:
    if isinstance(count, str) and count.isdecimal():
        count = int(count)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_WORKERS:
        raise InputError(f"--cluster: {said!r} is not a number of workers from 1 to {MOST_WORKERS}.")
    return count


def _from_file(path: Path) -> ClusterAddress:
    data = _plain(path)
    if isinstance(data, dict) and isinstance(data.get("address"), str) and "cluster" not in data:
        if not _ADDRESS.fullmatch(data["address"]):
            raise InputError(f"--cluster: {path}: {data['address']!r} is not an address such as tcp://host:8786.")
        return SchedulerAddress(data["address"])
    kind = data.get("cluster") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(
            f"--cluster: {path}: is neither a scheduler file nor names a cluster; write 'cluster:' and one of "
            f"{', '.join(KINDS)}."
        )
    unknown = sorted(str(name) for name in data if name not in {"cluster", "workers", "options"})
    if unknown:
        raise InputError(f"--cluster: {path}: {unknown[0]!r} is unknown; it takes cluster, workers and options.")
    options = data.get("options") or {}
    if not isinstance(options, dict) or not all(isinstance(name, str) for name in options):
        raise InputError(f"--cluster: {path}: options are not laid out as name: value.")
    return QueueAddress(kind, _number(data.get("workers", 1), data.get("workers")), options)


def _plain(path: Path) -> Any:
    """Read JSON, or YAML without anything that makes objects."""
    import yaml

    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(f"--cluster: {path}: cannot be read ({error.strerror}).") from error
    if len(content) > _LARGEST_FILE:
        raise InputError(f"--cluster: {path}: is too long to name a cluster.")
    with suppress(ValueError, RecursionError):  # then it may be YAML
        return json.loads(content)
    try:
        return yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"--cluster: {path}: is neither JSON nor YAML.") from error
