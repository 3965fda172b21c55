"""What the canvas can show: a view is an ordered choice of panels, their arrangement, and a camera."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from napari_pogmdm.gui.layers.camera import CameraState
from napari_pogmdm.runs.roles import LIVE_ROLES, Role

if TYPE_CHECKING:
    from napari.layers import Layer

IMAGE, SAMPLING, RUN, COILS = "Image", "Sampling", "Run", "Coils"
COMPARE, PINNED, DENOISE, INSPECTOR = "Compare", "A/B", "Denoise", "Inspector"
RECORDING, LESSON = "Recording", "Lesson"
"""Names of the views, as the bar above the canvas has them."""

DIFFERENCE, SWIPE = "difference", "swipe"
"""Roles of what is made of two panels."""

INTENSITIES = (Role.REFERENCE, Role.ZERO_FILLED, Role.IMAGE, Role.BEFORE_FORK, Role.TWEEDIE, Role.MEAN)
"""What is in the units of the image, and has one contrast where it stands side by side."""
_OF_A_RUN = (Role.IMAGE, Role.BEFORE_FORK, *(role for role in LIVE_ROLES if role != Role.IMAGE))


class Arrangement(StrEnum):
    """How the panels of a view stand."""

    ONE = "one"
    """The one in front alone."""

    ROW = "row"
    """All in one scene, each in its column."""

    GRID = "grid"
    """All in cells that move together."""

    SWIPE = "swipe"
    """The first two in one place, one of them left and the other right of a border."""


@dataclass(eq=False)
class View:
    """Panels that are looked at together.

    Attributes
    ----------
    name
        In the bar.
    hint
        How one gets something to see here.
    roles
        That can be panels, in the order in which they stand.
    chosen
        The panels; roles may wait for their layer.
    arrangement
        How they stand.
    linked
        Groups of panels that keep one contrast.
    columns
        Of the grid; 0 for as many as let the panels be largest.
    paired
        Whether every second panel belongs to the one before it, so that they must stay in one row.
    front
        The panel that is seen when only one is.
    guests
        Layers of other people, and whether they are seen here.
    welcoming
        Whether such layers are seen here if nobody said otherwise.
    camera
        Where one looked when the view was left.
    about
        A sentence that says what the view shows.
    """

    name: str
    hint: str = ""
    roles: tuple[str, ...] = ()
    chosen: list[str | Layer] = field(default_factory=list)
    arrangement: Arrangement = Arrangement.GRID
    linked: tuple[Collection[str | Layer], ...] = ()
    columns: int = 0
    paired: bool = False
    front: str | Layer | None = None
    guests: dict[Layer, bool] = field(default_factory=dict)
    welcoming: bool = False
    camera: CameraState | None = None
    about: str = ""

    def choose(self, panel: str | Layer, on: bool = True) -> None:
        """Add a panel, which comes to the front, or take one away."""
        if not on:
            self.chosen = [one for one in self.chosen if one is not panel and one != panel]
            self.front = None if self.front == panel else self.front
            return
        self.front = panel
        if panel not in self.chosen:
            self.chosen.append(panel)
            places = {role: place for place, role in enumerate(self.roles)}
            self.chosen.sort(key=lambda one: places.get(one, len(places)) if isinstance(one, str) else len(places))


_ABOUT = {
    IMAGE: "The scan: zero-filled, as the mask leaves it, or fully sampled. Your own layers are shown here, too.",
    SAMPLING: "What the mask does: the zero-filled image, measured k-space, and the point spread that smears it.",
    RUN: "The run of the Sampler dock: its current image, and what is ticked under Live layers there.",
    COILS: "What single coils saw, or their sensitivities. A shows all at once.",
    COMPARE: "The same measurement, reconstructed by several methods, with their errors.",
    PINNED: "Pinned runs: side by side, as a swipe, or their difference.",
    DENOISE: "An image, the same with noise, the prior's estimate of the clean image, and the score.",
    INSPECTOR: "The image, the response of a filter of the prior, and that filter's part of the score.",
    RECORDING: "A recorded run; nothing is computed.",
    LESSON: "What the lesson shows.",
}
"""What is seen in each view."""


def usual_views() -> dict[str, View]:
    """Make the views of a window, in the order in which the bar names them."""
    run = (*_OF_A_RUN, Role.ZERO_FILLED, Role.REFERENCE)
    views = (
        View(IMAGE, "Open a scan in the Data dock.", (Role.ZERO_FILLED, Role.REFERENCE), [Role.ZERO_FILLED]),
        View(
            SAMPLING,
            "Open a scan in the Data dock.",
            (Role.ZERO_FILLED, Role.KSPACE, Role.POINT_SPREAD),
            [Role.ZERO_FILLED, Role.KSPACE, Role.POINT_SPREAD],
            Arrangement.ROW,
        ),
        View(RUN, "Press Run in the Sampler dock.", run, [Role.IMAGE], linked=(INTENSITIES,)),
        View(
            COILS,
            "Open a scan in the Data dock.",
            (Role.COIL_IMAGES, Role.COIL_MAGNITUDE, Role.COIL_PHASE),
            [Role.COIL_IMAGES],
        ),
        View(COMPARE, "Run some methods in the Compare dock."),
        View(PINNED, "Pin runs in the Sampler dock, and choose two of them in the Compare dock."),
        View(DENOISE, "Move the noise slider of the Denoise dock."),
        View(INSPECTOR, "Choose a filter in the Inspector."),
        View(RECORDING, "Open a recorded run in the Recordings dock.", _OF_A_RUN, [Role.IMAGE]),
        View(LESSON, "Start a lesson in the Tour dock.", linked=(INTENSITIES,)),
    )
    views[0].welcoming = True
    for view in views:
        view.about = _ABOUT[view.name]
    return {view.name: view for view in views}


def best_columns(count: int, canvas: tuple[float, float], panel: tuple[float, float], step: int = 1) -> int:
    """Find the number of columns that lets panels be largest; of equals, the one that leaves fewest cells empty.

    Parameters
    ----------
    count
        Of panels.
    canvas
        Height and width to fill.
    panel
        Height and width of a panel, in any units.
    step
        Columns that belong together: the answer is a multiple of it.
    """

    def size(columns: int) -> tuple[float, int]:
        rows = -(-count // columns)
        return min(canvas[0] / rows / panel[0], canvas[1] / columns / panel[1]), -rows * columns

    return max(range(step, max(count, step) + 1, step), key=size)
