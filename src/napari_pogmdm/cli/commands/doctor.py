"""``napari-pogmdm doctor``: what a bug report should say about the computer."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import typer

from napari_pogmdm import __version__
from napari_pogmdm.cli.options.shared import JsonOption

_ENGINE = ("numpy", "scipy", "torch", "numba", "h5py", "scikit-image")
_WINDOW = ("napari", "PyQt6", "PySide6", "qtpy", "pyqtgraph", "superqt", "magicgui")
_VARIABLES = ("OMP_NUM_THREADS", "GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "NUMBA_NUM_THREADS", "NUMBA_CACHE_DIR", "QT_API")
_LEFT_OUT = ("dev", "docs", "all")  # extras that no user of the program lacks


def doctor(as_json: JsonOption = False) -> None:
    """Print versions, device, threads, extras and folders; paste it into a bug report."""
    facts = _facts()
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    width = max(len(name) for part in facts.values() for name in part)
    for title, part in facts.items():
        typer.secho(title, bold=True)
        for name, value in part.items():
            typer.echo(f"  {name:{width}}  {value}")


def _facts() -> dict[str, dict[str, str]]:
    """Collect what there is to say; a part that fails says so instead of ending the command."""
    return {
        "program": {
            "napari-pogmdm": __version__,
            "Python": f"{platform.python_version()} ({sys.executable})",
            "system": platform.platform(),
        },
        "engine": {name: _version(name) for name in _ENGINE},
        "window": {name: _version(name) for name in _WINDOW},
        "extras": _or_why_not(_extras),
        "computing": _or_why_not(_computing),
        "folders": _or_why_not(_folders),
        "environment": {name: os.environ.get(name, "not set") for name in _VARIABLES},
    }


def _or_why_not(part: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Give a part, or why it cannot be told: a broken installation is what this command is for."""
    try:
        return part()
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _extras() -> dict[str, str]:
    """Say of every extra whether all of its packages are there, and which are missing."""
    from packaging.requirements import Requirement

    found: dict[str, list[str]] = {}
    try:
        lines = requires("napari-pogmdm") or []
    except PackageNotFoundError:
        return {"all": "unknown: the program is not installed, it runs from a folder"}
    for line in lines:
        requirement = Requirement(line)
        marker = str(requirement.marker or "")
        if "extra ==" not in marker:
            continue
        extra = marker.split("extra ==")[1].strip().strip("'\"")
        missing = found.setdefault(extra, [])
        if _version(requirement.name) == "not installed":
            missing.append(requirement.name)
    return {
        extra: f"missing {', '.join(missing)}" if missing else "complete"
        for extra, missing in found.items()
        if extra not in _LEFT_OUT
    }


def _computing() -> dict[str, str]:
    import torch

    from napari_pogmdm.runtime.device import choose_device
    from napari_pogmdm.runtime.inner_products import multiplies
    from napari_pogmdm.runtime.memory import free_memory

    choice = choose_device()
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "device": f"{choice.name}: {choice.reason}",
        "graphics card": torch.cuda.get_device_name() if torch.cuda.is_available() else "none that torch can use",
        "cores": f"{os.cpu_count()}, of which {usable} may be used",
        "threads": f"{torch.get_num_threads()} of torch, with {torch.backends.cpu.get_cpu_capability()} instructions",
        "inner products": "correct" if multiplies() else "WRONG: install torch by pip, this build is broken",
        "free memory": f"{free_memory(torch.device(choice.name)) / 2**30:.1f} GB",
    }


def _folders() -> dict[str, str]:
    from platformdirs import user_data_path

    places = {
        "program": Path(__file__).parents[2],
        "your models, lessons and results": user_data_path("napari-pogmdm"),
        "compiled code": Path(os.environ.get("NUMBA_CACHE_DIR") or Path(__file__).parents[2] / "__pycache__"),
        "current folder": Path.cwd(),
    }
    return {name: f"{place} ({_writable(place)})" for name, place in places.items()}


def _writable(place: Path) -> str:
    existing = next(folder for folder in (place, *place.parents) if folder.exists())
    return "can be written" if os.access(existing, os.W_OK) else "cannot be written"
