"""``napari-pogmdm bench``: how fast this computer is, beside the time that the paper reports."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer

from napari_pogmdm import __version__
from napari_pogmdm.cli.options.shared import DeviceOption, JsonOption
from napari_pogmdm.runtime.device import Device

_PAPER_COILS = 15  # which the paper's time is told for


def bench(
    device: DeviceOption = Device.AUTO,
    coils: Annotated[
        int, typer.Option(min=1, max=128, help="Coils of the simulated scan; the paper's time is for 15.")
    ] = _PAPER_COILS,
    iterations: Annotated[int, typer.Option(min=1, max=1000, help="Iterations to time for each preset.")] = 10,
    size: Annotated[int, typer.Option(min=32, max=1024, help="Rows and columns of the simulated scan.")] = 320,
    as_json: JsonOption = False,
) -> None:
    """Time iterations and reconstructions of a simulated scan, and compare them with what the paper reports."""
    from napari_pogmdm.evaluation.speed import PAPER_SECONDS, bench_scan, compile_ahead, time_presets
    from napari_pogmdm.recon.sampler.memory import check_memory, memory_of_chain
    from napari_pogmdm.runtime.device import choose_device
    from napari_pogmdm.runtime.memory import free_memory

    chosen = choose_device(device)
    compile_ahead(partial(typer.echo, err=True))
    measurement = bench_scan(coils, chosen.name, size)
    check_memory(measurement)
    facts: dict[str, Any] = {
        **_machine(chosen.name),
        "scan": f"{size} x {size}, {coils} coils, simulated",
        "memory of a chain / MB": round(memory_of_chain(measurement) / 2**20),
        "free memory / MB": round(free_memory(measurement.kspace.device) / 2**20),
    }
    if not as_json:
        for name, value in facts.items():
            typer.echo(f"{name:24}{value}")
        typer.echo(f"\n{'preset':12}{'model':10}{'iterations':>11}{'ms each':>10}{'s in all':>10}")
    found = []
    for speed in time_presets(measurement, iterations):
        found.append(asdict(speed))
        if not as_json:
            typer.echo(
                f"{speed.preset:12}{speed.model:10}{speed.iterations:11d}{speed.milliseconds:10.1f}{speed.seconds:10.2f}"
            )
    printed = next(speed for speed in found if speed["preset"] == "paper")
    ratio = printed["seconds"] / PAPER_SECONDS
    if as_json:
        facts |= {"presets": found, "paper_seconds": PAPER_SECONDS, "paper_preset_over_paper": ratio}
        typer.echo(json.dumps(facts, indent=2))
    else:
        typer.echo(
            f"\nThe paper reports {PAPER_SECONDS:g} s for {printed['iterations']} iterations at {_PAPER_COILS} coils "
            f"on a graphics card; here its algorithm takes {ratio:.2g} times that."
        )


def _machine(device: str) -> dict[str, str]:
    import torch

    name = torch.cuda.get_device_name() if device == "cuda" else platform.processor() or platform.machine()
    return {
        "napari-pogmdm": __version__,
        "torch": torch.__version__,
        "device": f"{device}, {name}",
        "threads": str(torch.get_num_threads()),
    }
