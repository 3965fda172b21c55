"""The one way in which the program writes files: whole or not at all.

Bytes are collected first and written in one go under a hidden name beside the file, which then takes the file's place.
What outgrows a bound goes to the hidden file at once, so that a volume of any size needs a fixed amount of memory.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from napari_pogmdm.errors import InputError
from napari_pogmdm.open_files import check_not_open

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows, where nobody removes a file that somebody has open
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

_IN_MEMORY = 64 * 2**20  # bytes; a result of one slice has 1 to 30 MB, and more of them go to the disk as they come
_LONGEST_SHOWN = 80  # letters of a name that is too long for any file system
_HIDDEN = re.compile(r"\.pogmdm-[0-9a-f]{12}\.part|\.[0-9a-f]{12}\.h5")  # the latter are of version 0.1
_LEFT_AFTER = 60.0  # seconds; younger files may be of a program that has not locked them yet
_UNSYNCABLE = {
    errno.EINVAL,
    errno.ENOTSUP,
    errno.ENOSYS,
}  # of file systems without fsync, which have nothing to wait for
_unfinished: set[Path] = set()
_swept: set[Path] = set()


def write_file(path: Path, content: bytes | str) -> None:
    """Write bytes, or text as UTF-8.

    Raises
    ------
    InputError
        With one sentence, if the file could not be written; an older file of this name then is as it was.
    """
    with whole_file(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def whole_file(path: Path) -> Iterator[PendingFile]:
    """Give a stream of bytes that becomes the file ``path`` when the block ends well, and vanishes otherwise."""
    check_place(path)
    pending = PendingFile(path)
    try:
        try:
            yield pending
        except Exception:
            pending.check()  # what went wrong while writing explains what went wrong afterwards
            raise
        pending.check()
        pending.finish()
    finally:
        pending.discard()


def append_line(path: Path, line: str) -> None:
    """Add a line to a file; one that does not fit on the disk leaves the file as it was.

    Several programs may do so at the same time.
    """
    content = f"{line}\n".encode()
    try:
        with path.open("ab", buffering=0) as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
            before = os.fstat(file.fileno()).st_size
            try:
                _write_all(file, content)
                _sync(file.fileno())
            except BaseException:
                file.truncate(before)
                raise
    except OSError as error:
        raise _sentence(path, error) from error


def check_place(path: Path) -> None:
    """Check that a file can be written there, as far as that can be known without writing it."""
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name a file in it.")
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: is not an ordinary file; name another one.")
        if not path.parent.is_dir():
            raise InputError(f"{path}: the folder {path.parent} does not exist; make it first.")
        os.lstat(path)  # is_dir and its like take a name that no file can have for one that no file has
    except InputError:
        raise
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{str(path)[:_LONGEST_SHOWN]}: cannot be written ({reason}).") from error
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: cannot be written, as its folder is read-only; choose another folder.")


def remove_unfinished() -> None:
    """Remove the hidden files of this process, at an end that leaves no time for anything else."""
    for hidden in tuple(_unfinished):
        with suppress(OSError):
            hidden.unlink()


class PendingFile(io.RawIOBase, BinaryIO):
    """The bytes of a file that is not there yet; they can be read, too, as HDF5 does.

    No method of a stream raises: libraries that write in C would crash, or write on as they close. The first error is
    kept and `check` tells it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        check_not_open(path)
        self._path = path
        self._bytes: io.BytesIO | io.FileIO = io.BytesIO()
        self._hidden: Path | None = None
        self._error: BaseException | None = None

    def check(self) -> None:
        """Raise the first error of a write as one sentence.

        Raises
        ------
        InputError
            If the disk is full, gone or the like.
        """
        if isinstance(self._error, OSError | MemoryError):
            raise _sentence(self._path, self._error) from self._error
        if self._error is not None:
            raise self._error

    def finish(self) -> None:
        """Put the file in its place."""
        try:
            if self._hidden is None:
                self._move_to_disk()
            assert isinstance(self._bytes, io.FileIO)
            assert self._hidden is not None
            _sync(self._bytes.fileno())
            self._bytes.close()
            self._hidden.replace(self._path)
            _unfinished.discard(self._hidden)
            self._hidden = None
            _sync_folder(self._path.parent)
        except OSError as error:
            raise _sentence(self._path, error) from error

    def discard(self) -> None:
        """Let go of what is not in its place yet."""
        with suppress(OSError):
            self._bytes.close()
        if self._hidden is not None:
            with suppress(OSError):
                self._hidden.unlink()
            _unfinished.discard(self._hidden)
        self.close()

    def write(self, content: ReadableBuffer) -> int:
        """Take bytes."""
        view = memoryview(content).cast("B")
        if self._error is None:
            try:
                if self._hidden is None and self._bytes.tell() + len(view) > _IN_MEMORY:
                    self._move_to_disk()
                _write_all(self._bytes, view)
            except BaseException as error:  # check raises it, when no C code is on the way
                self._error = error
        return len(view)

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Give bytes back; zeros after an error."""
        view = memoryview(buffer).cast("B")
        count = 0
        if self._error is None:
            try:
                count = self._bytes.readinto(view) or 0
            except BaseException as error:  # as above
                self._error = error
        view[count:] = bytes(len(view) - count)
        return len(view) if self._error is not None else count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place."""
        return self._bytes.seek(offset, whence)

    def tell(self) -> int:
        """Say where the next byte goes."""
        return self._bytes.tell()

    def truncate(self, size: int | None = None) -> int:
        """Make the file so long."""
        wanted = self.tell() if size is None else size
        if self._error is None:
            try:
                place, end = self._bytes.tell(), self._bytes.seek(0, os.SEEK_END)
                if isinstance(self._bytes, io.BytesIO) and wanted > end:  # truncate of memory never lengthens
                    self._bytes.seek(wanted - 1)
                    self._bytes.write(b"\0")
                self._bytes.truncate(wanted)
                self._bytes.seek(place)
            except BaseException as error:  # as above
                self._error = error
        return wanted

    def readable(self) -> bool:
        """Yes."""
        return True

    def writable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def _move_to_disk(self) -> None:
        """Write what there is to a hidden file, and go on there."""
        assert isinstance(self._bytes, io.BytesIO)
        memory, folder = self._bytes, self._path.parent
        _sweep(folder)
        self._hidden = folder / f".pogmdm-{secrets.token_hex(6)}.part"
        _unfinished.add(self._hidden)
        # the mode is that of any new file: the user's mask decides
        descriptor = os.open(self._hidden, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o666)
        self._bytes = io.FileIO(descriptor, "r+b")
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        place = memory.tell()
        _write_all(self._bytes, memory.getbuffer())
        self._bytes.seek(place)


def _sentence(path: Path, error: OSError | MemoryError) -> InputError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "out of memory"
    return InputError(f"{path}: could not be written ({reason}); make room, or choose another disk.")


def _write_all(file: io.BytesIO | io.FileIO, content: ReadableBuffer) -> None:
    left = memoryview(content).cast("B")
    while len(left):
        left = left[file.write(left) or 0 :]


def _sync(descriptor: int) -> None:
    """Wait until the bytes are on the disk, so that a name never stands for a file that a power cut emptied."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNSYNCABLE:
            raise


def _sync_folder(folder: Path) -> None:
    """Wait until the name is on the disk, where folders can be waited for."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Remove hidden files that killed programs have left; those of running ones are locked."""
    if folder in _swept:
        return
    _swept.add(folder)
    with suppress(OSError):
        for entry in tuple(os.scandir(folder)):
            if _HIDDEN.fullmatch(entry.name) and time.time() - entry.stat().st_mtime > _LEFT_AFTER:
                with suppress(OSError), open(entry.path, "rb") as file:  # noqa: PTH123 - a scandir entry
                    if fcntl is not None:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(entry.path)  # noqa: PTH108 - a scandir entry
