"""The SENSE operator against its own Fourier transforms, and its growth with coils and pixels.

Prints JSON. Ratios are taken within one run, each time being the best of several.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

import torch
from timing import best

from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.physics.smoothness import SmoothnessProx


def scan(coils: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    maps = torch.randn(coils, size, size, dtype=torch.complex64, generator=generator)
    return maps[0].clone(), maps


def operator(kind: str, coils: int = 8, size: int = 320) -> dict[str, float]:
    """Time the normal operator and, alone, the transforms that it cannot do without."""
    image, maps = scan(coils, size)
    sense = Sense(torch.from_numpy(make_mask(kind, (size, size), 4).samples))
    normal = best(lambda: sense.normal(image, maps))
    transforms = best(lambda: torch.fft.ifftn(torch.fft.fftn(maps, dim=sense.encoding.axes), dim=sense.encoding.axes))
    return {"normal_ms": normal, "transforms_ms": transforms, "ratio": normal / transforms}


def memory_of_normal(coils: int, size: int) -> float:
    """Extra megabytes at the peak of one application, beyond its inputs; run in a process of its own (Linux only)."""
    image, maps = scan(coils, size)
    sense = Sense(torch.from_numpy(make_mask("radial", (size, size), 4).samples))
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = peak_memory()
    sense.normal(image, maps)
    return peak_memory() - before


def peak_memory() -> float:
    """Largest resident size since it was last reset, in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory", nargs=2, type=int, metavar=("COILS", "SIZE"))
    wanted = parser.parse_args().memory
    if wanted:
        print(memory_of_normal(*wanted))
        return

    def memory(coils: int, size: int) -> float:
        command = [sys.executable, __file__, "--memory", str(coils), str(size)]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    maps = scan(8, 320)[1]
    smooth = SmoothnessProx((320, 320))
    report = {
        "machine": {
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
            "python": platform.python_version(),
        },
        "normal_operator_8_coils_320": {
            "general_radial": operator("radial"),
            "lines_only_cartesian": operator("cartesian"),
        },
        "coil_smoothing_8_coils_320_ms": best(lambda: smooth(maps, 1.0)),
        "against_coils_at_320": {
            str(coils): {"radial_ms": operator("radial", coils)["normal_ms"], "extra_mb": memory(coils, 320)}
            for coils in (1, 2, 4, 8, 16)
        },
        "against_size_with_8_coils": {
            str(size): {"radial_ms": operator("radial", 8, size)["normal_ms"], "extra_mb": memory(8, size)}
            for size in (128, 256, 320, 512, 640)
        },
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
