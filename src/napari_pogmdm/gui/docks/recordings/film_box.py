"""Saves a recorded run as a film."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from qtpy.QtCore import Qt
from qtpy.QtGui import QStandardItemModel
from qtpy.QtWidgets import QComboBox, QFileDialog, QGroupBox, QHBoxLayout

from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.core.replay import Replay
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.gui.docks.recordings.film import Panel, film_frames, film_trouble, save_film
from napari_pogmdm.gui.widgets.buttons import button

_SIZES = (1, 2, 3)  # times as large as every pixel of the recording needs
_NARROWEST = 120  # pixels; its longest line would be wider than the dock


class FilmBox(QGroupBox):
    """Exports the visible layers of the session's recorded run, in the background.

    Parameters
    ----------
    dock
        Whose recording is exported.
    speed
        Gives the frames a second.
    """

    def __init__(self, dock: Dock, speed: Callable[[], float]) -> None:
        super().__init__("Film")
        self.workbench = dock.workbench
        self.session = dock.session
        self._speed = speed
        self._worker = dock.make_worker("pogmdm films", self._failed)
        row = QHBoxLayout(self)
        self.film_kind = Combo()
        self.film_kind.setObjectName("film_kind")
        self.film_kind.setMinimumWidth(_NARROWEST)
        self.film_kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.film_kind.setMinimumContentsLength(4)
        self.film_kind.setAccessibleName("Format of the film")
        for number, ending in enumerate((".gif", ".mp4")):
            self.film_kind.addItem(ending[1:].upper(), ending)
            trouble = film_trouble(Path(f"film{ending}"))
            if trouble is not None:
                self._disable(number)
                self.film_kind.setItemData(number, trouble.partition(": ")[2], Qt.ItemDataRole.ToolTipRole)
                self.film_kind.setItemText(number, f"{ending[1:].upper()} (needs imageio-ffmpeg)")
        self.film_size = QComboBox()
        self.film_size.setObjectName("film_size")
        self.film_size.setAccessibleName("Size of the film")
        self.film_size.setToolTip("How large pictures and letters are; 2x or 3x suits a slide; files grow with it")
        for size in _SIZES:
            self.film_size.addItem(f"{size}x", size)
        self.film_button = button("&Export …", "Save the visible layers side by side as a film.", "export_film")
        self.film_button.clicked.connect(self._ask_for_film)
        row.addWidget(self.film_kind, 1)
        row.addWidget(self.film_size)
        row.addWidget(self.film_button)
        dock.listen(self.session.events.recording, self._follow)
        self._follow()

    def _disable(self, number: int) -> None:
        """Grey out a format."""
        model = self.film_kind.model()
        item = model.item(number) if isinstance(model, QStandardItemModel) else None
        if item is not None:
            item.setEnabled(False)

    def _follow(self) -> None:
        self.setEnabled(self.session.recording is not None)

    def _ask_for_film(self) -> None:
        ending = str(self.film_kind.currentData())
        name, _ = QFileDialog.getSaveFileName(self, "Export a film", f"run{ending}", f"Films (*{ending})")
        if name:
            self.export(Path(name))

    def export(self, path: Path) -> None:
        """Write the film of what is visible, in the background."""
        replay = self.workbench.player.replay
        if replay is None:
            return
        panels, recording, speed = self._panels(replay), replay.recording, self._speed()
        size = int(self.film_size.currentData())
        self._show_busy(True)

        def job(cancelled: Callable[[], bool]) -> Path:
            save_film(film_frames(recording, panels, size), path, speed, cancelled)
            return path

        self._worker.submit(path.name, job, self._exported)

    def _exported(self, path: Path) -> None:
        self._show_busy(False)
        self.workbench.tell(Notice(NoticeKind.INFORMATION, f"{path.name}: the film is saved."))

    def _failed(self, notice: Notice) -> None:
        self._show_busy(False)
        self.workbench.tell(notice)

    def _show_busy(self, busy: bool) -> None:
        self.film_button.setEnabled(not busy)
        self.film_button.setText("Exporting …" if busy else "&Export …")

    def _panels(self, replay: Replay) -> list[Panel]:
        coil = int(self.workbench.viewer.dims.point[0]) if self.workbench.viewer.dims.ndim > 2 else 0
        panels = []
        for role in replay.recording.roles:
            layer = self.workbench.book.get(role)
            if layer is None or not layer.visible:
                continue
            colours = np.rint(255 * layer.colormap.map(np.linspace(0, 1, 256))[:, :3]).astype(np.uint8)
            low, high = layer.contrast_limits
            panels.append(Panel(role, self.workbench.book.style(role).name, colours, (float(low), float(high)), coil))
        return panels
