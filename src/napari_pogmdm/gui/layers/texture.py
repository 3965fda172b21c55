"""New values of a picture that is seen, and nothing else of its layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from napari.layers import Image
    from napari.viewer import Viewer


def show_new_values(viewer: Viewer, layer: Image) -> bool:
    """Paint what changed in a layer's own buffer; tells whether that was possible.

    napari's `refresh` cuts the slice that is seen anew, and works out once more where it lies, which takes longer than
    everything else that happens to a picture of a run. Where what is painted is a part of the buffer itself, only the
    texture is out of date. Whoever listens to the layer's data is told as usual.

    Parameters
    ----------
    viewer
        In whose window it is.
    layer
        Whose values changed, and not their number.
    """
    try:
        visual = viewer.window._qt_viewer.canvas.layer_to_visual[layer]
        seen, painted = layer._data_view, visual.node._data
    except (AttributeError, KeyError):  # a viewer without a window, or a napari that is put together otherwise
        return False
    if not layer.visible or layer.auto_contrast or painted is not seen or not np.may_share_memory(seen, layer.data):
        return False
    visual.node.set_data(seen)
    visual.node.update()
    with layer.events.set_data.blocker(visual._on_data_change):
        layer.events.set_data()
    return True
