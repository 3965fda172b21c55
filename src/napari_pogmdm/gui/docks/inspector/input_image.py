"""Which image a model is asked about, in the units that it was trained in; no Qt in here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.layers.style import Contrast
from napari_pogmdm.runs.roles import Role

if TYPE_CHECKING:
    from napari.layers import Image, Layer

    from napari_pogmdm.gui.core.session import Session
    from napari_pogmdm.gui.layers.book import LayerBook

IN_UNITS_OF_THE_FILE = (Contrast.INTENSITY, Contrast.ERROR, Contrast.DEVIATION)
_SMALLEST = 8  # pixels a side; learned filters have 5
_LARGEST = 4_000_000  # pixels, 2000 a side: more would take seconds


@dataclass(frozen=True, eq=False)
class InputImage:
    """An image to ask about.

    Attributes
    ----------
    image
        (rows, columns) float32, divided so that the data's maximum is one.
    name
        What it is, in words.
    noisy
        Whether it carries the sampler's noise already, so that none needs to be added.
    layer
        The layer that shows it, by which positions in the window become pixels.
    """

    image: FloatImage
    name: str
    noisy: bool = False
    layer: Layer | None = None


def current_image(session: Session, book: LayerBook, scale: float | None) -> InputImage | None:
    """Take the sampler's image, or before a run the fully sampled or the zero-filled one.

    Parameters
    ----------
    session, book
        Where images are found, and the layers that show them.
    scale
        What the measurement was divided by; ``None`` where there is none, as in a recorded run: then the intensity that
        is shown as white, which is close to the image's maximum, has to serve.
    """
    divisor = book.geometry.white if scale is None else scale
    frame = session.frame
    if frame is not None:
        layer = book.get(Role.IMAGE)
        data = frame.arrays.get(Role.IMAGE, None if layer is None else layer.data)
        if data is not None:
            return InputImage(_scaled(data, divisor), "the sampler's image", noisy=True, layer=layer)
    if session.reference is not None:
        return InputImage(
            _scaled(session.reference, divisor), "the fully sampled image", layer=book.get(Role.REFERENCE)
        )
    if session.preview is not None:
        zero_filled = session.preview.zero_filled
        return InputImage(_scaled(zero_filled, divisor), "the zero-filled image", layer=book.get(Role.ZERO_FILLED))
    return None


def layer_image(layer: Image, step: tuple[int, ...], book: LayerBook, scale: float | None) -> InputImage:
    """Take the shown slice of an image layer.

    Parameters
    ----------
    layer
        Any image layer.
    step
        The viewer's current step along every axis, for layers with more than two.
    book
        Knows which layers are the window's own, in the units of the file.
    scale
        As for `current_image`; other people's layers are divided by their own maximum.

    Raises
    ------
    InputError
        If no model can be asked about such a layer.
    """
    data = layer.data
    if getattr(layer, "rgb", False) or getattr(data, "ndim", 0) < 2:
        raise InputError(f"{layer.name}: this is not a grey image; choose an image layer with two or more axes.")
    lead = data.ndim - 2
    if lead:
        places = (0,) * max(0, lead - len(step[:-2])) + tuple(step[:-2])[-lead:]
        data = data[tuple(min(max(0, place), size - 1) for place, size in zip(places, data.shape, strict=False))]
    image = np.asarray(data, dtype=np.float32)
    if min(image.shape) < _SMALLEST or image.size > _LARGEST:
        raise InputError(
            f"{layer.name}: {image.shape[0]} x {image.shape[1]} pixels; choose an image of 8 to 2000 a side."
        )
    if not np.isfinite(image).all():
        raise InputError(f"{layer.name}: some of its pixels are not numbers; choose another layer.")
    role = book.role_of(layer)
    ours = role is not None and book.style(role).contrast in IN_UNITS_OF_THE_FILE
    file_scale = book.geometry.white if scale is None else scale
    divisor = file_scale if ours else float(np.abs(image).max())
    return InputImage(_scaled(image, divisor), layer.name, noisy=role == Role.IMAGE, layer=layer)


def _scaled(data: NDArray[np.generic], divisor: float) -> FloatImage:
    return np.asarray(data, dtype=np.float32) / np.float32(divisor or 1.0)
