"""What importing costs, and what the package promises about itself."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import napari_pogmdm

PACKAGE = Path(napari_pogmdm.__file__).parent
TESTS = Path(__file__).parent
MOST_MODULES = 16  # in a folder; more cannot be taken in at a glance
MOST_LINES = 300  # of a module
ROOMS_WITHOUT_MODULES = ("examples", "gui/examples", "gui/workflows", "tools")
"""Folders of tests about examples, tools, and what several docks do together."""
ABOUT_SEVERAL_MODULES = {
    "gui/docks/inspector/test_shipped_models.py": "holds what docs/inspector.md says against the dock's own numbers",
    "cli/commands/test_bad_checkpoints.py": "gives the same bad files to every command that takes a checkpoint",
    "runs/test_old_files.py": "opens what version 0.1 wrote with every reader of the room",
}
WRITERS = {
    "files.py": "is the one that writes",
    "evaluation/bart.py": "hands data to another program in a temporary folder",
}
"""Modules that may open files to write them, with the reason."""
SHARED_CLASS_NAMES: dict[str, str] = {}
"""Names that two classes may share, with the reason."""

HEAVY = (
    "numpy",
    "torch",
    "numba",
    "h5py",
    "scipy",
    "skimage",
    "matplotlib",
    "napari",
    "qtpy",
    "PyQt6",
    "rich.progress",
)


def loaded_by(program: str) -> set[str]:
    command = [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    rooms = ", ".join(f"napari_pogmdm.{room}" for room in ("data", "physics", "prior", "recon", "training", "cli"))
    assert loaded_by(f"import napari_pogmdm, {rooms}").isdisjoint(HEAVY)


def test_the_command_line_loads_nothing_heavy_before_it_is_used():
    assert loaded_by("import napari_pogmdm.cli.main").isdisjoint(HEAVY)


def test_every_module_of_the_engine_can_be_imported_without_qt_and_napari():
    found = (module.name for module in pkgutil.walk_packages([str(PACKAGE)], "napari_pogmdm."))
    engine = [name for name in found if not name.startswith("napari_pogmdm.gui")]
    assert len(engine) > 150
    loaded = loaded_by("\n".join(f"import {name}" for name in engine))
    assert loaded >= {"torch", *engine}
    assert loaded.isdisjoint({"napari", "qtpy", "PyQt6", "magicgui", "superqt", "pyqtgraph"})


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


def test_every_test_file_lies_where_its_module_does():
    """A file directly in tests is about the package as a whole."""
    for path in TESTS.rglob("*/test_*.py"):
        place = path.relative_to(TESTS)
        if place.as_posix() in ABOUT_SEVERAL_MODULES or place.parent.as_posix() in ROOMS_WITHOUT_MODULES:
            continue
        subject = PACKAGE / place.parent / path.stem.removeprefix("test_")
        assert subject.is_dir() or subject.with_suffix(".py").exists(), f"{place} tests no module of that name"
    assert all((TESTS / name).exists() for name in ABOUT_SEVERAL_MODULES)


def test_folders_and_modules_can_be_taken_in_at_a_glance():
    """A longer module says why it is long in the first line of its docstring."""
    for folder in (PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir())):
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= MOST_MODULES, f"{folder.relative_to(PACKAGE)} has {len(modules)} modules"
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        first = text.partition("\n")[0]
        assert text.count("\n") <= MOST_LINES or "long because" in first, f"{path.relative_to(PACKAGE)} is too long"


def test_no_two_classes_share_a_name():
    places = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(PACKAGE)))
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert shared.keys() == SHARED_CLASS_NAMES.keys(), shared


def test_files_are_written_in_one_place():
    """Whole or not at all: `files.py` alone opens files to write them, all others hand it bytes or take its stream."""
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE).as_posix()
        if place in WRITERS:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            words = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            into_stream = bool(node.args) and getattr(node.args[0], "id", "") == "stream"
            opened = called in {"open", "File"} and any(set(word) & set("wax+") for word in words if len(word) <= 3)
            assert into_stream or not opened, f"{place}:{node.lineno} opens a file to write it"
            assert called not in {"write_text", "write_bytes", "save_file", "to_filename", "tofile", "dcmwrite"}, (
                f"{place}:{node.lineno} writes a file by {called}; use write_file or whole_file"
            )


def test_the_manifest_stands_at_the_top_too():
    assert (TESTS.parent / "napari.yaml").resolve() == (PACKAGE / "napari.yaml").resolve()


def test_everything_public_can_be_imported_and_used():
    import napari_pogmdm as package

    assert "reconstruct" in package.__all__
    for name in package.__all__:
        assert getattr(package, name) is not None
    scan = package.phantom_scan((32, 32), coils=2)[0]
    measurement = package.measure(scan, package.make_mask("cartesian", scan.shape, 2))
    reference = package.reference_image(scan)
    assert package.metrics(reference, package.reconstruct(measurement, "cg-sense").image).psnr > 15
