"""Pinned results: kept with their settings, and compared with each other and with the next run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.core.captions import settings_name
from napari_pogmdm.gui.core.pin import Pin
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.layers.placement import in_column
from napari_pogmdm.gui.layers.style import LayerStyle
from napari_pogmdm.gui.layers.view import INTENSITIES, PINNED, RUN, Arrangement
from napari_pogmdm.recon.defaults import DEFAULT_PRESET
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.setting_text import differences

if TYPE_CHECKING:
    from napari_pogmdm.gui.core.canvas import Canvas
    from napari_pogmdm.gui.layers.book import LayerBook
    from napari_pogmdm.recon.measurement import Measurement
    from napari_pogmdm.recon.sampler.request import RunRequest

ANOTHER = "other slice"
"""What is to be heeded about a pinned image of another scan or slice than the one that is open."""


class PinHost(Protocol):
    """What pins need of the workbench."""

    session: Session
    book: LayerBook
    canvas: Canvas
    request: RunRequest | None


class Pins:
    """Keeps results in ``session.pins``, and shows them; deleting its layer takes a pin away.

    Parameters
    ----------
    host
        Whose results are pinned.
    """

    def __init__(self, host: PinHost) -> None:
        self._host = host
        self._count = 0
        make = host.canvas.make

        def make_any(role: str) -> None:
            self._make(role)
            make(role)

        host.canvas.make = make_any
        host.session.events.measurement.connect(self._mark)

    def pin_run(self) -> str:
        """Keep the result of the run beside the next ones; gives its role, or nothing where there is none."""
        host, session, request = self._host, self._host.session, self._host.request
        result = session.result
        if request is None or result is None:
            return ""
        reference = request.reference
        chains = f"{request.chains} chains, " if request.chains > 1 else ""
        values = " ".join(differences(request.settings, preset(DEFAULT_PRESET)))
        stopped = f", stopped at step {result.record.steps}" if result.record.stopped else ""
        pin = self._add(
            Pin(
                "",
                "",
                result.image,
                request.prior.name,
                settings_name(request.settings) + stopped,
                request.measurement.sampling.describe(),
                request.measurement.sampling.acceleration,
                request.measurement.source,
                result.record.seconds,
                None if reference is None else metrics(reference, result.image),
                reference,
                f"{chains}seed {request.seed} {values}".strip(),
                session.trace,
                None if result.complex_image is None else np.angle(result.complex_image),
            )
        )
        host.canvas.choose(RUN, pin.role)
        host.canvas.show(RUN)
        return pin.role

    def pin_method(self, pin: Pin, measurement: Measurement) -> str:
        """Keep what a method made of a measurement; gives its role.

        Parameters
        ----------
        pin
            The result; its name, role, mask and source are filled in here.
        measurement
            Of which it was made.
        """
        sampling = measurement.sampling
        found = replace(pin, mask=sampling.describe(), acceleration=sampling.acceleration, source=measurement.source)
        return self._add(found).role

    def find(self, role: str) -> Pin | None:
        """Find a pin by its role."""
        return next((pin for pin in self._host.session.pins if pin.role == role), None)

    def rename(self, role: str, name: str) -> None:
        """Call a pin otherwise."""
        if not name.strip():
            raise InputError("pinned runs: a name cannot be empty.")
        session, book = self._host.session, self._host.book
        session.pins = tuple(replace(pin, name=name.strip()) if pin.role == role else pin for pin in session.pins)
        book.add_style(role, replace(book.style(role), name=name.strip()))
        book.remark(role, self._remark(self.find(role)))
        self._host.canvas.touch()

    def delete(self, role: str) -> None:
        """Let a pin go, with its layer."""
        canvas = self._host.canvas
        for view in canvas.views.values():
            view.choose(role, on=False)
        self._host.book.remove(role)
        self._forget({role})
        if canvas.shown == PINNED and not canvas.panels():
            canvas.back(PINNED)
        else:
            canvas.show(canvas.shown)

    def forget_deleted(self) -> None:
        """Let pins go whose layers the user deleted."""
        self._forget({pin.role for pin in self._host.session.pins if self._host.book.dismissed(pin.role)})

    def compare(self, roles: Sequence[str]) -> None:
        """Show results side by side at one contrast, in the view of pins.

        Parameters
        ----------
        roles
            Of pins, of the run or of the slice; at least one.
        """
        if not roles:
            raise InputError("pinned runs: select one or two rows of the table first.")
        chosen = list(dict.fromkeys(roles))
        if len(chosen) == 1:
            session = self._host.session
            chosen.append(Role.ZERO_FILLED if session.reference is None else Role.REFERENCE)
        self._host.book.welcome_back(*chosen)
        swiped = self._host.canvas.views[PINNED].arrangement is Arrangement.SWIPE and len(chosen) == 2
        arrangement = Arrangement.SWIPE if swiped else Arrangement.GRID
        self._host.canvas.present(PINNED, chosen, linked=(chosen,), arrangement=arrangement)

    def _add(self, pin: Pin) -> Pin:
        """Give a result a role, and the view of runs a place for it."""
        host = self._host
        self._count += 1
        role = f"pinned {self._count}"
        pin = replace(pin, name=pin.name or role, role=role)
        host.session.pins = (*host.session.pins, pin)
        view = host.canvas.views[RUN]
        view.roles = (*view.roles, role)
        pins = tuple(one for one in view.roles if str(one).startswith("pinned "))
        view.linked = ((*INTENSITIES, *pins),)
        host.book.add_style(role, LayerStyle(pin.name, contrast=(0.0, pin.white)))
        host.book.state(role, pin.facts)
        self._make(role)
        return pin

    def _make(self, role: str) -> None:
        """Make the layer of a pin where there is none; one of another scan went with that."""
        pin, book = self.find(role), self._host.book
        if pin is not None and book.get(role) is None:
            placement = in_column(book.geometry, pin.image.shape, 0, gridded=True)
            book.show(role, pin.image, thumbnail=True, placement=placement)
            book.remark(role, self._remark(pin))

    def _mark(self) -> None:
        """Say of images of other slices that they are."""
        for pin in self._host.session.pins:
            self._host.book.remark(pin.role, self._remark(pin))

    def _remark(self, pin: Pin | None) -> str:
        now = self._host.session.measurement
        return "" if pin is None or now is None or now.source == pin.source else ANOTHER

    def _forget(self, roles: set[str]) -> None:
        session = self._host.session
        kept = tuple(pin for pin in session.pins if pin.role not in roles)
        if len(kept) != len(session.pins):
            session.pins = kept
