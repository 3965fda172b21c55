"""Where results go, checked before any work is done."""

from __future__ import annotations

from pathlib import Path

from napari_pogmdm.errors import InputError


def check_writable(path: Path | None, option: str) -> None:
    """Check that a result can be written where it is wanted; ``None`` is nowhere, which always works.

    Parameters
    ----------
    path
        Of the file to write.
    option
        Which named it, for the message.
    """
    if path is None:
        return
    try:
        if path.is_dir():
            raise InputError(f"{option}: {path} is a folder; name a file in it.")
        if path.exists() and not path.is_file():
            raise InputError(f"{option}: {path} is not an ordinary file; name another one.")
        if not path.parent.is_dir():
            raise InputError(f"{option}: the folder {path.parent} does not exist; make it first.")
    except OSError as error:
        # the name may be too long for any file system, so that its first 80 letters have to do
        raise InputError(f"{option}: {str(path)[:80]} cannot be written ({error.strerror}).") from error


def check_apart(source: str, *outputs: Path | None) -> None:
    """Refuse to write over the scan itself, or two results into one file.

    Parameters
    ----------
    source
        The scan's path, or a name that is none.
    *outputs
        Files to write; ``None`` for those that are not wanted.
    """
    written = [path.resolve() for path in outputs if path is not None]
    if len(set(written)) < len(written):
        raise InputError("--output, --png and --resume need different names; two of them name the same file.")
    if any(path.exists() and Path(source).exists() and path.samefile(source) for path in written):
        raise InputError("--output: would write over the scan itself; name another file.")


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
    except OSError as error:
        raise InputError(f"{option}: {path} cannot be made a folder ({error.strerror}).") from error
