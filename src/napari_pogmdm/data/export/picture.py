"""Pictures to show: grey PNG, and TIFF with its values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from napari_pogmdm.arrays import white_of
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file

_WHITE = 65535  # the largest grey value of a PNG of 16 bits


def write_picture(path: Path, images: NDArray[Any]) -> list[Path]:
    """Write magnitudes (slices, rows, columns): TIFF keeps all slices and values, PNG shows one.

    Parameters
    ----------
    path
        Of the file.
    images
        Not negative. In a PNG, black is zero, and white what the window shows as white.
    """
    values = np.asarray(images, dtype=np.float32)
    if path.suffix.lower() == ".png":
        if len(values) != 1:
            raise InputError(
                f"{path.name}: a PNG holds one slice, not {len(values)}; choose one with --slice, or .tif."
            )
        grey = np.clip(values[0] / white_of(values[0]), 0, 1) * _WHITE + 0.5
        pages = [Image.fromarray(grey.astype(np.uint16))]
    else:
        pages = [Image.fromarray(page) for page in values]
    with whole_file(path) as stream:
        kind = "PNG" if path.suffix.lower() == ".png" else "TIFF"
        more = {"save_all": True, "append_images": pages[1:]} if len(pages) > 1 else {}
        pages[0].save(stream, format=kind, **more)
    return [path]
