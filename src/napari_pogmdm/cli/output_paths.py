"""Where results go, checked before any work is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import check_place
from napari_pogmdm.reading import is_file

_MOST_NAMES = 1000  # results of one scan that are told apart by their number before a name has to be given


def check_outputs(written: Mapping[str, Path | None], read: Iterable[str | Path | None] = ()) -> None:
    """Check that all results can be written where they are wanted, each in a file of its own that nothing is read from.

    Parameters
    ----------
    written
        Files to write by the option that names them; ``None`` is nowhere, which always works.
    read
        All that the command reads: files, or names that are none, and ``None`` for what is not there.
    """
    wanted = {option: path for option, path in written.items() if path is not None}
    for option, path in wanted.items():
        try:
            check_place(path)
        except InputError as error:
            raise InputError(f"{option}: {error}") from error
    taken: dict[Path, str] = {}
    for option, path in wanted.items():
        earlier = taken.setdefault(path.resolve(), option)
        if earlier != option:
            raise InputError(f"{option}: names the same file as {earlier}; give each its own name.")
    sources = [Path(name) for name in read if name is not None and is_file(name)]
    for option, path in wanted.items():
        if any(path.exists() and path.samefile(source) for source in sources):
            raise InputError(f"{option}: would write over {path}, which the command reads; name another file.")


def free_name(source: str) -> Path:
    """Name a result after its scan, in the current folder, so that nothing that is there is written over.

    Parameters
    ----------
    source
        The scan's path or name.
    """
    stem = Path(source).name.split(".")[0] or "scan"
    names = (f"{stem}-result{number}.h5" for number in ("", *(f"-{count}" for count in range(2, _MOST_NAMES))))
    for path in map(Path, names):
        if not path.exists():
            return path
    raise InputError(f"--output: {stem}-result.h5 and {_MOST_NAMES} like it exist already; name a file.")


def make_folder(path: Path, option: str) -> None:
    """Make a folder for results, if it is not there yet.

    Parameters
    ----------
    path
        Of the folder.
    option
        Which named it, for the message.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        check_place(path / "results")
    except InputError as error:
        raise InputError(f"{option}: {error}") from error
    except OSError as error:
        raise InputError(f"{option}: {str(path)[:80]} cannot be made a folder ({error.strerror}).") from error
