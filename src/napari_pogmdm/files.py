"""Atomic writing: files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from napari_pogmdm.errors import InputError

# Errors that the user can put right by making room or choosing another disk.
_DISK_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place when the block ends well, and vanishes otherwise."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: is not an ordinary file; name a file to write.")
        temporary = path.with_name(f".{secrets.token_hex(6)}{path.suffix}")
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); choose another folder.") from error
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.errno not in _DISK_TROUBLE:
            raise
        raise InputError(f"{path}: could not be written ({error.strerror}); is the disk full?") from error
    finally:
        temporary.unlink(missing_ok=True)
