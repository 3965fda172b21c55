"""What importing costs, and what the package promises about itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import napari_pogmdm

HEAVY = ("torch", "numba", "h5py", "scipy", "skimage", "matplotlib", "napari", "qtpy", "PyQt6", "rich.progress")


def loaded_by(program: str) -> set[str]:
    command = [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    rooms = ", ".join(f"napari_pogmdm.{room}" for room in ("data", "physics", "prior", "recon", "training", "cli"))
    assert loaded_by(f"import napari_pogmdm, {rooms}").isdisjoint(HEAVY)


def test_the_command_line_loads_nothing_heavy_before_it_is_used():
    assert loaded_by("import napari_pogmdm.cli.main").isdisjoint(HEAVY)


def test_the_engine_knows_neither_qt_nor_napari():
    program = "\n".join(
        f"import {module}"
        for module in (
            "napari_pogmdm.data.sources",
            "napari_pogmdm.data.images",
            "napari_pogmdm.physics.sense",
            "napari_pogmdm.recon.result",
            "napari_pogmdm.evaluation.tuning",
        )
    )
    loaded = loaded_by(program)
    assert loaded.isdisjoint({"napari", "qtpy", "PyQt6", "magicgui", "superqt"})
    assert "torch" in loaded


def test_help_is_quick():
    """CPU time of ``--help`` beyond a bare interpreter; half a second is the promise, on any load."""
    import resource

    def cpu(*arguments: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    program = "import sys; sys.argv = ['napari-pogmdm', '--help']; from napari_pogmdm.cli.main import main; main()"
    bare = min(cpu("-c", "pass") for _ in range(3))
    assert min(cpu("-c", program) for _ in range(3)) - bare < 0.5


def test_the_manifest_stands_at_the_top_too():
    top = Path(__file__).parent.parent / "napari.yaml"
    assert top.resolve() == (Path(napari_pogmdm.__file__).parent / "napari.yaml").resolve()


def test_everything_public_can_be_imported_and_used():
    import napari_pogmdm as package

    assert "reconstruct" in package.__all__
    for name in package.__all__:
        assert getattr(package, name) is not None
    scan = package.phantom_scan((32, 32), coils=2)[0]
    measurement = package.measure(scan, package.make_mask("cartesian", scan.shape, 2))
    reference = package.reference_image(scan)
    assert package.metrics(reference, package.reconstruct(measurement, "cg-sense").image).psnr > 15
