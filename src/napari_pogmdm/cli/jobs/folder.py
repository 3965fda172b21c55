"""All scans of a folder, each with its own result file in another folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from napari_pogmdm.cli.output_paths import make_folder
from napari_pogmdm.cli.run_slices import ScanPlan
from napari_pogmdm.data.images import looks_like_dicom
from napari_pogmdm.data.raw.foreign import is_foreign_folder
from napari_pogmdm.data.sources import scans_in
from napari_pogmdm.errors import InputError


def is_folder_of_scans(source: str) -> bool:
    """Whether this is a folder of several scans, rather than a file or a folder that is one scan, as DICOM's are."""
    path = Path(source)
    try:
        if not path.is_dir() or is_foreign_folder(path):
            return False
        return not any(looks_like_dicom(file) for file in path.iterdir() if file.is_file())
    except (OSError, ValueError):
        return False


def results_folder(source: str, output: Path | None) -> Path:
    """Make the folder for the results; by default one in the current folder, named after that of the scans.

    Parameters
    ----------
    source
        Folder of the scans.
    output
        As the user named it.
    """
    folder = Path(f"{Path(source).resolve().name}-results") if output is None else output
    if folder.resolve() == Path(source).resolve():
        raise InputError(f"--output: {folder} is the folder that is read; name another one.")
    make_folder(folder, "--output")
    return folder


def plan_folder(
    source: str, folder: Path, plan: Callable[[str, Path], ScanPlan], tell: Callable[[str], None]
) -> Iterator[ScanPlan]:
    """Plan every scan that has no result yet; one that cannot be read is told of, and left out.

    Parameters
    ----------
    source
        Folder of the scans.
    folder
        Of the results, each named after its scan.
    plan
        Makes the plan of one scan and its result file.
    tell
        Told a sentence about each scan that is left out.
    """
    taken: set[str] = set()
    for path in scans_in(Path(source)):
        stem = path.name.partition(".")[0]
        name = f"{stem}.h5" if f"{stem}.h5" not in taken else f"{path.name}.h5"
        taken.add(name)
        if (folder / name).exists():
            tell(f"{path.name}: {folder / name} already exists; remove it to reconstruct the scan again.")
            continue
        try:
            yield plan(str(path), folder / name)
        except InputError as error:
            tell(str(error))
