"""What the background has to tell of a run, until the window takes it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from napari_pogmdm.gui.core.notices import Notice
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.runs.status import Frame, RunStatus, TracePoint


@dataclass(frozen=True, eq=False)
class Update:
    """Everything new since the window last asked.

    Attributes
    ----------
    restarted
        A run began, or was reset: all that is known of an earlier one is void.
    forked
        The moment (chain, iteration, substep) from which the run goes on once more: what came later is void.
    """

    status: RunStatus
    frame: Frame | None = None
    points: tuple[TracePoint, ...] = ()
    notices: tuple[Notice, ...] = ()
    result: Reconstruction | None = None
    restarted: bool = False
    forked: tuple[int, int, int] | None = None


class RunMail:
    """Holds the newest picture; figures and notices add up until they are taken.

    Parameters
    ----------
    status
        Tells how things stand at the moment of posting.
    wake
        Called after every letter.
    """

    def __init__(self, status: Callable[[], RunStatus], wake: Callable[[], None]) -> None:
        self._status = status
        self._wake = wake
        self._lock = threading.Lock()
        self._mail = Update(RunStatus())

    @property
    def holds_frame(self) -> bool:
        """Whether a picture waits to be taken."""
        return self._mail.frame is not None

    def take(self) -> Update:
        """Give everything new since the last call."""
        with self._lock:
            mail = self._mail
            self._mail = Update(mail.status)
        return mail

    def post(
        self,
        *,
        frame: Frame | None = None,
        point: TracePoint | None = None,
        notice: Notice | None = None,
        result: Reconstruction | None = None,
        restarted: bool = False,
        forked: tuple[int, int, int] | None = None,
    ) -> None:
        """Add to what waits; a restart takes back all but notices, a fork what came after its moment."""
        with self._lock:
            status = self._status()  # within the lock, so that an older one never overwrites a newer one
            old = Update(status, notices=self._mail.notices, restarted=True) if restarted else self._mail
            points = old.points if forked is None else tuple(one for one in old.points if one.moment <= forked)
            self._mail = Update(
                status,
                frame or old.frame,
                points + ((point,) if point else ()),
                old.notices + ((notice,) if notice else ()),
                None if forked else result or old.result,
                old.restarted,
                forked or old.forked,
            )
        self._wake()
