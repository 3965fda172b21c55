"""Going through a recorded run: what the window is told at each frame, and when the next one is due. No Qt in here."""

from __future__ import annotations

from collections.abc import Collection

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.runs.display import DisplayGeometry
from napari_pogmdm.runs.recording import Recording
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Frame, Phase, RunStatus, TracePoint

SPEEDS = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0)
"""Frames a second: from one that can be talked about to the fastest that napari draws."""


class Replay:
    """A recorded run, the frame it shows, and whether it plays.

    Parameters
    ----------
    recording
        What is replayed.
    speed, loop
        See below.

    Attributes
    ----------
    geometry
        Where its images lie, and what is white.
    index
        The frame that is shown.
    speed
        Frames a second.
    loop
        Start again after the last frame.
    playing
        Whether it goes on by itself.
    """

    def __init__(self, recording: Recording, speed: float = 10.0, loop: bool = False) -> None:
        self.recording = recording
        self.geometry = DisplayGeometry(recording.facts.whole, recording.facts.pixel, recording.facts.white)
        self.index = 0
        self.speed = speed
        self.loop = loop
        self.playing = False
        self._owed = 0.0
        self._unpacked: dict[str, int] = {}
        self._points = tuple(TracePoint.from_row(row) for row in recording.trace.tolist())

    def __len__(self) -> int:
        return len(self.recording)

    @property
    def at_end(self) -> bool:
        """Whether the last frame is shown."""
        return self.index == len(self) - 1

    def play(self) -> None:
        """Go on by itself; from the end, start again."""
        if self.at_end:
            self.index = 0
        self.playing, self._owed = len(self) > 1, 0.0

    def pause(self) -> None:
        """Stay at the current frame."""
        self.playing = False

    def go_to(self, index: int) -> None:
        """Show a frame; beyond the ends is the end."""
        self.index = max(0, min(index, len(self) - 1))

    def advance(self, seconds: float) -> bool:
        """Let time pass while playing, and tell whether another frame is shown now; late frames are skipped."""
        if not self.playing:
            return False
        self._owed += seconds * self.speed
        frames = int(self._owed)
        self._owed -= frames
        if not frames:
            return False
        if self.loop:
            self.index = (self.index + frames) % len(self)
        else:
            self.go_to(self.index + frames)
            self.playing = not self.at_end
        return True

    @property
    def point(self) -> TracePoint:
        """Numbers of the frame that is shown."""
        return self._points[self.recording.moments[self.index]]

    @property
    def trace(self) -> tuple[TracePoint, ...]:
        """Numbers up to the frame that is shown."""
        return self._points[: self.recording.moments[self.index] + 1]

    @property
    def status(self) -> RunStatus:
        """The run as it stood; nothing runs, so a new one may be started at any time."""
        facts, point = self.recording.facts, self.point
        return RunStatus(
            phase=Phase.IDLE,
            chain=point.chain,
            chains=facts.chains,
            iteration=point.iteration,
            steps=facts.steps,
            plan=facts.plan,
            substep=point.substep,
            sigma=point.sigma,
        )

    def frame(self, wanted: Collection[str], *, again: bool = True) -> Frame:
        """Unpack the wanted pictures of the frame that is shown.

        Parameters
        ----------
        wanted
            Roles of the pictures.
        again
            Also those that did not change since this was last called, apart from the image, which is always there.
        """
        if again:
            self._unpacked = {}
        arrays: dict[str, FloatImage] = {}
        for role in self.recording.roles:
            track = self.recording.tracks.get(role)
            block = self.index if track is None else int(track.which[self.index])
            if role not in wanted or (role != Role.IMAGE and self._unpacked.get(role) == block):
                continue
            picture = self.recording.picture(role, self.index)
            if picture is not None:
                arrays[role] = picture
                self._unpacked[role] = block
        return Frame(arrays, self.point)
