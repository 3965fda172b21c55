"""Seconds of one reconstruction by each rival beside our own presets, at 320 x 320 with eight coils; prints JSON.

    python benchmarks/rivals.py [unet:FILE] [varnet:FILE] [jsense:FILE]

Without files, networks of the sizes that `train` makes by default are timed with random weights, which takes as long.
Methods take turns, and each one's best turn counts, by the clock and in processor time.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import save_file

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.shapes import SHAPES, parameter_count
from napari_pogmdm.rivals.weights import load_rival

SIDE, COILS, NOISE = 320, 8, 0.01


def random_weights(rival: Rival, folder: Path) -> Path:
    """Write a network of the default size with random weights."""
    torch.manual_seed(0)
    network = SHAPES[rival]().make()
    path = folder / f"{rival}.safetensors"
    save_file({name: values.detach().contiguous() for name, values in network.state_dict().items()}, path)
    return path


def take_turns(actions: dict[str, Callable[[], object]], turns: int) -> dict[str, dict[str, float]]:
    """Best of several turns of each action, by the clock and in processor time, after one that does not count."""
    best = {name: {"seconds": float("inf"), "processor_seconds": float("inf")} for name in actions}
    for turn in range(turns + 1):
        for name, action in actions.items():
            clock, work = time.perf_counter(), time.process_time()
            action()
            spent = {"seconds": time.perf_counter() - clock, "processor_seconds": time.process_time() - work}
            if turn:
                best[name] = {key: min(best[name][key], spent[key]) for key in spent}
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", nargs="*", metavar="METHOD:FILE")
    parser.add_argument("--turns", type=int, default=3)
    asked = parser.parse_args()
    given = {Rival(name): Path(file) for name, _, file in (text.partition(":") for text in asked.checkpoints)}
    mask = make_mask("cartesian", (SIDE, SIDE), 4, 0.08)
    measurement = undersample(simulate_scan(shepp_logan((SIDE, SIDE)), COILS, NOISE), mask)
    actions: dict[str, Callable[[], object]] = {
        preset: lambda preset=preset: reconstruct(measurement, model="flf-tc", preset=preset)
        for preset in ("fast", "default")
    }
    with tempfile.TemporaryDirectory() as folder:
        models = {rival: load_rival(rival, given.get(rival) or random_weights(rival, Path(folder))) for rival in Rival}
        for rival, model in models.items():
            actions[rival] = lambda rival=rival, model=model: reconstruct(measurement, rival, model=model)
        figures = take_turns(actions, asked.turns)
    for rival, model in models.items():
        figures[rival]["parameters"] = parameter_count(model.network)
    print(json.dumps({"threads": torch.get_num_threads(), "size": [COILS, SIDE, SIDE], "methods": figures}, indent=1))


if __name__ == "__main__":
    main()
