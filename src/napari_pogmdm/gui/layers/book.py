"""The layers of the window: what each is called, how it looks, where it lies; data are updated in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from napari.layers import Image, Layer
    from napari.viewer import Viewer

_GAP = 0.06
_RENEWED = ("reference", "zero-filled", "k-space", "point spread", "coil images")  # each scan has its own
_PHASE_LIMITS = (-float(np.pi), float(np.pi))


@dataclass(frozen=True)
class LayerStyle:
    """How a role is shown.

    Attributes
    ----------
    name
        Of the layer.
    colormap
    contrast
        "intensity" is shared by everything in the units of the image; "error" is a fifth of it; a pair is fixed; "own"
        is taken from the first data and then kept; "deviation" from those that are shown when a run rests.
    place
        Column of the canvas: 0 holds images, 1 k-space, 2 point spreads. Full, uncropped images share column 0.
    visible
        Whether it is shown when it first appears.
    under
        Role below whose layer it appears, so as not to hide it.
    """

    name: str
    colormap: str = "gray"
    contrast: str | tuple[float, float] = "intensity"
    place: int = 0
    visible: bool = False
    under: str = ""


STYLES: dict[str, LayerStyle] = {
    "reference": LayerStyle("fully sampled"),
    "zero-filled": LayerStyle("zero-filled", visible=True),
    "k-space": LayerStyle("k-space, log magnitude", "magma", "own", place=1),
    "point spread": LayerStyle("point spread / dB", "magma", (-60.0, 0.0), place=2),
    "coil images": LayerStyle("coil images", "gray", "own"),
    "image": LayerStyle("reconstruction |x| RSS(s)", visible=True),
    "before fork": LayerStyle("before fork", under="image"),
    "phase": LayerStyle("phase of x", "twilight_shifted", _PHASE_LIMITS),
    "tweedie": LayerStyle("estimate E[x0|xt]"),
    "coil magnitude": LayerStyle("coil maps |s|", "viridis", (0.0, 1.0)),
    "coil phase": LayerStyle("coil maps, phase", "twilight_shifted", _PHASE_LIMITS),
    "mean": LayerStyle("mean of chains"),
    "deviation": LayerStyle("standard deviation", "inferno", "deviation"),
    "error": LayerStyle("error |x - reference|", "inferno", "error"),
    "residual": LayerStyle("k-space residual / dB", "magma", (-90.0, -20.0), place=1),
}
"""Every role that the docks of the workbench share; a dock may add styles of its own with `LayerBook.add_style`."""


class LayerBook:
    """Finds, makes and refreshes layers by role.

    A layer that the user deletes stays away until it is asked for again with `ask`.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._styles = dict(STYLES)
        self._layers: dict[str, Image] = {}
        self._dismissed: set[str] = set()
        self._ours = False
        self._gridded = False
        self.white = 1.0
        self.pixel = (1.0, 1.0)
        self.unit = "pixel"
        self.whole = (1, 1)
        self.changed: Callable[[], None] = lambda: None
        viewer.layers.events.removed.connect(self._removed)

    def close(self) -> None:
        """Stop listening to the viewer."""
        self._viewer.layers.events.removed.disconnect(self._removed)

    def add_style(self, role: str, style: LayerStyle) -> None:
        """Make a role known."""
        self._styles[role] = style

    def restyle(self, role: str, style: LayerStyle, data: NDArray[Any]) -> None:
        """Show a role in another way from now on, and the layer that there is; it stays visible or hidden."""
        self._styles[role] = replace(style, visible=self._styles[role].visible)
        layer = self._layers.get(role)
        if layer is not None:
            layer.name, layer.colormap = style.name, style.colormap
            _set_contrast(layer, self._limits(role, data))

    def style(self, role: str) -> LayerStyle:
        """Tell how a role is shown."""
        return self._styles[role]

    def get(self, role: str) -> Image | None:
        """Find the layer of a role."""
        return self._layers.get(role)

    def role_of(self, layer: Layer | None) -> str | None:
        """Find the role of a layer."""
        return next((role for role, known in self._layers.items() if known is layer), None)

    def wants(self, role: str) -> bool:
        """Whether fresh data of a role would be seen: its layer is visible, or would be when it appeared."""
        layer = self._layers.get(role)
        if layer is not None:
            return bool(layer.visible)
        return role not in self._dismissed and self._styles[role].visible

    def ask(self, role: str, visible: bool = True) -> None:
        """Show or hide a role because the user asked; a deleted layer may come back."""
        self._dismissed.discard(role)
        self._styles[role] = replace(self._styles[role], visible=visible)
        layer = self._layers.get(role)
        if layer is not None:
            layer.visible = visible
            if visible and not self._styles[role].under:
                self._bring_up(layer)
        self.changed()

    def welcome_back(self, *roles: str) -> None:
        """Let layers that the user deleted come with the next data."""
        self._dismissed.difference_update(roles)

    def set_geometry(
        self, whole: tuple[int, int], pixel: tuple[float, float], white: float, unit: str | None = None
    ) -> None:
        """Learn the size of the uncropped image, its pixel size with its unit, and the intensity shown as white."""
        if (whole, pixel) != (self.whole, self.pixel):
            for role in [role for role in self._layers if self._layers[role].data.shape[-2:] != whole]:
                if role not in _RENEWED:
                    self.remove(role)
        self.whole, self.pixel, self.white, self.unit = whole, pixel, white, unit or self.unit
        for role, layer in self._layers.items():
            self._place(role, layer)
            limits = self._limits(role, layer.data)
            if self._styles[role].contrast in {"intensity", "error"}:
                _set_contrast(layer, limits)

    def show(self, role: str, data: NDArray[Any], thumbnail: bool = False) -> Image | None:
        """Show new data: in the layer's own buffer where it fits, else in a new layer; not if the user deleted it."""
        layer = self._layers.get(role)
        if layer is not None and layer.data.shape == data.shape:
            np.copyto(layer.data, data)
            with self._viewer.layers.events.blocker():  # the list of layers would have the window painted once more
                layer.refresh(thumbnail=thumbnail, highlight=False, extent=False)
            if thumbnail and self._styles[role].contrast == "deviation":
                _set_contrast(layer, self._limits(role, data))
            return layer
        if role in self._dismissed:
            return None
        if layer is not None and layer.ndim == data.ndim:
            return self._renew(role, layer, data)
        if layer is not None:
            self._styles[role] = replace(self._styles[role], visible=bool(layer.visible))
            self.remove(role)
        return self._make(role, data)

    def remark(self, role: str, remark: str = "") -> None:
        """Put a remark behind a layer's name, such as how far a run came, or take it away."""
        layer = self._layers.get(role)
        name = f"{self._styles[role].name}, {remark}" if remark else self._styles[role].name
        if layer is not None and layer.name != name:
            layer.name = name

    def lay_out(self, *, gridded: bool) -> None:
        """Put all layers in one place, as a grid of linked views needs them, or back beside each other."""
        self._gridded = gridded
        for role, layer in self._layers.items():
            self._place(role, layer)

    def remove(self, role: str) -> None:
        """Take a layer away; it may come back with new data."""
        layer = self._layers.pop(role, None)
        if layer is not None and layer in self._viewer.layers:
            with self._our_doing():
                self._viewer.layers.remove(layer)

    def _bring_up(self, layer: Image) -> None:
        """Put a layer that was asked for upon the others, which would hide it; masks and shapes stay above."""
        layers = self._viewer.layers
        images = [place for place, one in enumerate(layers) if type(one) is type(layer)]
        place = layers.index(layer)
        if images and place < images[-1]:
            layers.move(place, images[-1] + 1)

    def _renew(self, role: str, layer: Image, data: NDArray[Any]) -> Image:
        """Give a layer data of another size."""
        layer.data = np.array(data, dtype=np.float32)
        _set_contrast(layer, self._limits(role, data))
        self._place(role, layer)
        return layer

    def _make(self, role: str, data: NDArray[Any]) -> Image:
        from napari.layers import Image

        style = self._styles[role]
        layer = Image(
            np.array(data, dtype=np.float32),
            name=style.name,
            colormap=style.colormap,
            contrast_limits=self._limits(role, data),
            metadata={"pogmdm role": role},
        )
        self._place(role, layer)
        self._layers[role] = layer
        self._viewer.add_layer(layer)
        above = self._layers.get(style.under)
        if above is not None:
            self._viewer.layers.move(self._viewer.layers.index(layer), self._viewer.layers.index(above))
            self._viewer.layers.selection.active = above
        layer.visible = style.visible  # only now: a layer that was never visible has a black thumbnail
        layer.events.visible.connect(lambda: self.changed())
        return layer

    def _limits(self, role: str, data: NDArray[Any]) -> tuple[float, float]:
        contrast = self._styles[role].contrast
        if isinstance(contrast, tuple):
            return contrast
        shares = {"intensity": 1.0, "error": 0.2}
        if contrast in shares:
            return 0.0, shares[contrast] * self.white
        low, high = float(np.min(data)), float(np.max(data))
        if contrast == "deviation":
            low, high = 0.0, float(np.percentile(data, 99.5))
        return (low, high) if high > low else (low, low + 1.0)

    def _place(self, role: str, layer: Image) -> None:
        """Put a layer on the canvas: columns side by side, cropped images in the middle of whole ones."""
        column = self._styles[role].place
        lead = layer.ndim - 2
        rows, columns = layer.data.shape[-2:]
        scale = self.pixel
        if column:  # k-space has other units; it is drawn as large as the image beside it
            scale = (self.pixel[0] * self.whole[0] / rows, self.pixel[1] * self.whole[1] / columns)
        top = (self.whole[0] - rows) // 2 * self.pixel[0] if not column else 0.0
        left = (self.whole[1] - columns) // 2 * self.pixel[1] if not column else 0.0
        width = self.whole[1] * self.pixel[1]
        across = 0.0 if self._gridded else column * width * (1 + _GAP)
        layer.units = (*["pixel"] * lead, self.unit, self.unit)
        layer.axis_labels = (*["coil"] * lead, *(("ky", "kx") if column == 1 else ("y", "x")))
        layer.scale = (*[1.0] * lead, *scale)
        layer.translate = (*[0.0] * lead, top, left + across)

    @contextmanager
    def _our_doing(self) -> Iterator[None]:
        self._ours = True
        try:
            yield
        finally:
            self._ours = False

    def _removed(self, event: Any) -> None:
        role = self.role_of(event.value)
        if role is None or self._ours:
            return
        del self._layers[role]
        self._dismissed.add(role)
        self.changed()


def _set_contrast(layer: Image, limits: tuple[float, float]) -> None:
    layer.contrast_limits_range = (min(limits[0], layer.contrast_limits_range[0]), max(limits[1], limits[1]))
    layer.contrast_limits = limits
