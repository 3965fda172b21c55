"""Open one dock of the plugin in a napari window of your own, with a scan in it.

python examples/open_a_dock.py          # stays until you close it
python examples/open_a_dock.py --close  # closes itself when the first images are there
"""

import os
import sys

import napari
from qtpy.QtCore import QTimer

from napari_pogmdm.gui.core.workbench import Workbench

if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
    raise SystemExit("There is no display; try tools/with_display.sh python examples/open_a_dock.py --close")

viewer = napari.Viewer(title="Draw a mask")
viewer.window.add_plugin_dock_widget("napari-pogmdm", "Sampling")  # as the menu Plugins > PoGMDM does

workbench = Workbench.of(viewer)  # what all docks of this window share
workbench.loader.open("demo")  # or the path of a fastMRI file
workbench.session.events.preview.connect(lambda: print("layers:", *(layer.name for layer in viewer.layers)))
if "--close" in sys.argv:
    workbench.session.events.preview.connect(lambda: QTimer.singleShot(500, viewer.close))
napari.run()
