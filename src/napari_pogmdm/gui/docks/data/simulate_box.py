"""The part of the Data dock that scans an image layer; magicgui makes its form, and needs annotations to be types."""

import numpy as np
from magicgui import magicgui
from napari.layers import Image
from numpy.typing import NDArray
from qtpy.QtGui import QShowEvent
from qtpy.QtWidgets import QLabel, QVBoxLayout, QWidget

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.core.session import LARGEST_SEED
from napari_pogmdm.gui.docks.base import Dock

_MOST_COILS = 64  # as the largest receive arrays in use have


class SimulateBox(QWidget):
    """Makes a scan of an image layer, with coils and noise of one's choice.

    Parameters
    ----------
    dock
        Whose viewer has the layers, and whose loader takes the scan.

    Attributes
    ----------
    form
        The fields ``layer``, ``coils``, ``noise`` and ``seed``, and the button.
    """

    def __init__(self, dock: Dock) -> None:
        super().__init__()
        self._workbench = dock.workbench
        self._viewer = dock.workbench.viewer

        @magicgui(
            call_button="&Simulate",
            layer={
                "label": "Layer",
                "choices": lambda _: [(layer.name, layer) for layer in self._viewer.layers if isinstance(layer, Image)],
                "tooltip": "Image layer to scan; for a stack, the slice that is shown.",
            },
            coils={
                "label": "Coils",
                "min": 1,
                "max": _MOST_COILS,
                "tooltip": "Receive coils in a ring around the image.",
            },
            noise={
                "label": "Noise",
                "min": 0.0,
                "max": 1.0,
                "step": 0.005,
                "tooltip": "Standard deviation of the noise in the real and in the imaginary part of each sample; "
                "the image's largest value is 1.",
            },
            seed={
                "label": "Seed",
                "min": 0,
                "max": LARGEST_SEED,
                "tooltip": "Seed of the noise: the same seed gives the same scan.",
            },
        )
        def form(layer: Image, coils: int = 8, noise: float = 0.01, seed: int = 0) -> None:
            self._simulate(layer, coils, noise, seed)

        self.form = form
        self.form.margins = (0, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.form.native)
        layers = self._viewer.layers.events
        for event in (layers.inserted, layers.removed, layers.renamed):
            dock.listen(event, self._list_layers)
        self._list_layers()

    def showEvent(self, event: QShowEvent | None) -> None:  # noqa: N802 - Qt's name
        """Let the fields begin below each other; magicgui measures its labels before they have the window's font."""
        super().showEvent(event)
        labels = self.form.native.findChildren(QLabel)
        widest = max(label.sizeHint().width() for label in labels)
        for label in labels:
            label.setMinimumWidth(widest)

    def _list_layers(self) -> None:
        self.form.reset_choices()
        button = self.form.call_button
        if button is not None:
            button.enabled = self.form.layer.value is not None

    def _simulate(self, layer: Image, coils: int, noise: float, seed: int) -> None:
        try:
            image = shown_slice(layer, self._viewer.dims.current_step)
        except InputError as error:
            self._workbench.tell(Notice(NoticeKind.ERROR, str(error)))
            return
        self._workbench.loader.simulate(image, coils, noise, f"simulated from {layer.name}", seed)


def shown_slice(layer: Image, current_step: tuple[int, ...]) -> NDArray[np.generic]:
    """Copy the 2-D image that a layer shows.

    Parameters
    ----------
    layer
        A plain image, or a stack of such.
    current_step
        The viewer's step along every axis.
    """
    if layer.rgb or layer.multiscale:
        raise InputError(f"{layer.name}: is a colour or multiscale image; choose a plain one to simulate a scan from.")
    lead = layer.ndim - 2
    steps = current_step[-layer.ndim :][:lead]
    index = tuple(min(step, size - 1) for step, size in zip(steps, layer.data.shape[:lead], strict=True))
    return np.array(layer.data[index])
