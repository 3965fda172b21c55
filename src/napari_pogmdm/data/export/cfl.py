"""Writing BART's pair of files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.files import whole_file, write_file


def write_cfl(path: Path, shape: tuple[int, ...], parts: Iterable[NDArray[Any]]) -> list[Path]:
    """Write an array part by part, so that it never has to fit into memory.

    Parameters
    ----------
    path
        Of the ``.cfl`` or ``.hdr`` file, or their common name.
    shape
        Of the array, in BART's order of axes.
    parts
        Its numbers one after the other, the first axis running fastest.

    Returns
    -------
    Both files.
    """
    base = path.with_suffix("") if path.suffix in {".cfl", ".hdr"} else path
    samples, header = base.with_name(f"{base.name}.cfl"), base.with_name(f"{base.name}.hdr")
    with whole_file(samples) as stream:
        for part in parts:
            stream.write(np.ascontiguousarray(part, dtype="<c8").tobytes())
    write_file(header, f"# Dimensions\n{' '.join(map(str, shape))}\n")
    return [samples, header]
