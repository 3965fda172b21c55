"""Titles of panels: which mask, which settings, how good, and whether they still match the docks."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from napari_pogmdm.evaluation.coverage import judged_intervals
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.prior.weights import parameter_hash
from napari_pogmdm.recon.metrics import psnr
from napari_pogmdm.recon.sampler.calibration import spread_in_words
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Phase

if TYPE_CHECKING:
    from napari_pogmdm.recon.measurement import Measurement
    from napari_pogmdm.recon.sampler.request import RunRequest


_ACCELERATION = re.compile(r"\b([0-9.]+)x")  # in the description of a mask; the true one comes first
EARLIER_RUN = "earlier run"
"""What is to be heeded about pictures of a run that is no more, or of another slice."""


class Captions:
    """Writes titles into the layer book.

    Parameters
    ----------
    session
        What is shown.
    book
        Gets the titles.
    """

    def __init__(self, session: Session, book: LayerBook) -> None:
        self._session = session
        self._book = book
        self._known: tuple[RunRequest | None, str] = (None, "")

    def show_preview(self) -> None:
        """Say what the mask does to the slice."""
        session = self._session
        sampling = session.mask or session.trajectory
        if session.preview is None or sampling is None:
            return
        acceleration = f"R = {sampling.acceleration:.2f}"
        facts = [acceleration]
        image, reference = session.preview.zero_filled, session.reference
        if reference is not None and reference.shape == image.shape:
            facts.append(f"{psnr(reference, image):.1f} dB")
        self._book.state(Role.ZERO_FILLED, ", ".join(facts))
        self._book.state(Role.POINT_SPREAD, acceleration)

    def show_run(self, request: RunRequest | None, roles: Collection[str]) -> None:
        """Say of a run's pictures what made them and how good they are, and mark those of an earlier mask or model.

        Parameters
        ----------
        request
            What the live run was asked for; ``None`` where there is none.
        roles
            Of its pictures; those of others are older.
        """
        recording = self._session.recording
        facts: list[str] = []
        if recording is not None:
            facts.append(settings_name(SamplerSettings.from_dict(dict(recording.facts.settings))))
            facts.append(_recorded_acceleration(recording.facts.mask))
        elif request is not None:
            facts = [request.prior.name, settings_name(request.settings), _acceleration(request.measurement)]
        else:
            return
        quality = self._quality()
        if math.isfinite(quality):
            facts.append(f"{quality:.1f} dB")
        self._book.state(Role.IMAGE, ", ".join(facts))
        if request is not None:
            self._book.state(Role.DEVIATION, self._spread(request))
            self._book.state(Role.MEAN, self._coverage(request))
        remark = "" if recording is not None else self.remark(request)
        for role in roles:
            self._book.remark(role, remark)

    def _quality(self) -> float:
        """Give the PSNR of the state that is seen, which may be an earlier one; NaN where it was not taken."""
        session = self._session
        if not session.trace:
            return math.nan
        if not session.status.behind or session.frame is None:
            return session.trace[-1].psnr
        seen = session.frame.point
        taken = (point.psnr for point in session.trace if point.moment == seen.moment)
        return seen.psnr if math.isfinite(seen.psnr) else next(taken, math.nan)

    def _spread(self, request: RunRequest) -> str:
        """Say what the standard deviation is; once a run has ended, as its record does, which knows the data's fit."""
        result = self._session.result
        known = {} if result is None else result.record.sampler.get("calibration", {})
        if self._known[0] is not request:  # looked up once, as it takes longer than all other words of a picture
            self._known = request, spread_in_words(request.settings, parameter_hash(request.prior))
        return str(known.get("words") or self._known[1])

    def _coverage(self, request: RunRequest) -> str:
        """Say how good the mean is, and how much of it lies within one and two standard deviations of the reference."""
        result, reference = self._session.result, self._session.reference
        if result is None or reference is None:
            return ""
        judged = judged_intervals(result, reference, request.measurement)
        if judged is None:
            return ""
        errors, factor = judged
        inside = [f"{100 * errors.inside(multiple, factor):.0f} %" for multiple in (1.0, 2.0)]
        return f"{psnr(reference, result.image):.1f} dB, {inside[0]} within 1 std, {inside[1]} within 2"

    def remark(self, request: RunRequest | None) -> str:
        """Say what is to be heeded about the pictures of a run."""
        session = self._session
        if request is not None and session.measurement is not None:
            if request.measurement.source != session.measurement.source:
                return EARLIER_RUN
            if request.measurement is not session.measurement:
                return "earlier mask"
            if session.prior is not None and request.prior is not session.prior:
                return "earlier model"
        stopped = session.status.phase is Phase.STOPPED
        return f"stopped at step {session.status.iteration}" if stopped else ""


def settings_name(settings: SamplerSettings) -> str:
    """Name the preset that settings are, or say that they are somebody's own."""
    return next((name for name, known in PRESETS.items() if known == settings), "own settings")


def _recorded_acceleration(mask: str) -> str:
    """Write the acceleration of a recorded run as titles have it; without one, the kind of the mask."""
    found = _ACCELERATION.search(mask)
    return f"R = {found[1]}" if found is not None else mask.split(", ")[0]


def _acceleration(measurement: Measurement) -> str:
    return f"R = {measurement.sampling.acceleration:.2f}"
