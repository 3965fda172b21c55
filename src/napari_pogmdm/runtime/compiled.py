"""Compiled loops that are kept for the next start where that is possible, and work where it is not."""

from __future__ import annotations

import hashlib
import logging
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile

_Function = TypeVar("_Function", bound=Callable[..., Any])
# what a cache on a full or read-only disk, or one that was cut off, raises
_TROUBLE = (OSError, EOFError, pickle.PickleError, ValueError, TypeError, AttributeError, ImportError, IndexError)


def compiled(**options: Any) -> Callable[[_Function], _Function]:
    """Make a decorator that compiles a function at its first call, to run without the interpreter's lock.

    Parameters
    ----------
    **options
        Of numba's ``njit``, such as ``fastmath``.
    """

    def decorate(function: _Function) -> _Function:
        dispatcher = njit(nogil=True, **options)(function)
        try:
            dispatcher._cache = _ForgivingCache(function)  # what njit(cache=True) does, with a cache that may fail
        except RuntimeError:  # numba found no folder to write to
            _say_that_nothing_is_kept()
        return dispatcher

    return decorate


class _WholeFiles(IndexDataCacheFile):
    """Numba's files of one function, in an order in which no interruption can do harm.

    Numba names code in its index before it writes it, and uses old names again: a full disk in between makes it run
    the code of another version or of other types. Here the name tells version and types, and the index comes last.
    """

    def save(self, key: Any, data: Any) -> None:
        number = int(hashlib.sha256(repr((self._source_stamp, key)).encode()).hexdigest()[:15], 16)
        name = self._data_name(number)  # type: ignore[no-untyped-call]
        self._save_data(name, data)  # type: ignore[no-untyped-call]
        try:
            known = self._load_index()  # type: ignore[no-untyped-call]
        except _TROUBLE:
            known = {}
        self._save_index(known | {key: name})  # type: ignore[no-untyped-call]


class _ForgivingCache(FunctionCache):
    """Numba's cache; what cannot be read is compiled again, and what cannot be written is not kept."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file.__class__ = _WholeFiles  # it has the same fields, which numba alone knows how to fill

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except _TROUBLE:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except _TROUBLE:
            _say_that_nothing_is_kept()


@cache
def _say_that_nothing_is_kept() -> None:
    """Tell once, on the error stream unless somebody arranged otherwise."""
    logging.getLogger("napari_pogmdm").warning(
        "Compiled code cannot be kept, so that every start takes some seconds longer; "
        "set NUMBA_CACHE_DIR to a folder that can be written."
    )
