"""Makes a recording of what a live run shows; packing happens in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import Notice, as_notice
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.runs.display import DisplayGeometry
from napari_pogmdm.runs.make_recording import recorder_for
from napari_pogmdm.runs.recording import Recording
from napari_pogmdm.runs.recording_writer import Recorder
from napari_pogmdm.runs.status import Frame

_MOST_WAITING = 16  # frames; a run that is faster than packing must not fill the memory


class LiveRecorder:
    """One run's recording. Calls return at once; what they ask for is done in order, in the background.

    Parameters
    ----------
    request
        What is run.
    geometry
        How its images lie in the window.
    limit
        Largest size of the file in bytes.

    Attributes
    ----------
    frames, size
        Kept so far, and the bytes that the file will take at most.
    skipped
        Frames that came faster than they could be packed.
    failure
        What went wrong, if something did; nothing is recorded from then on.
    """

    def __init__(self, request: RunRequest, geometry: DisplayGeometry, limit: int) -> None:
        self.frames = 0
        self.size = 0
        self.skipped = 0
        self.limit = limit
        self.failure: Notice | None = None
        self._recorder: Recorder | None = None
        self._waiting = 0
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "pogmdm recorder")

        def begin() -> None:
            self._recorder = recorder_for(request, geometry, limit)

        self._do(begin)

    def take(self, frame: Frame, substeps: tuple[str, ...]) -> None:
        """Add a frame of a run whose iterations have these substeps."""
        if self._waiting >= _MOST_WAITING:
            self.skipped += 1
            return

        def add() -> None:
            if self._recorder is not None:
                self._recorder.set_substeps(substeps)
                self._recorder.add(frame.point.row, frame.arrays)

        self._do(add)

    def finish(self, record: Mapping[str, Any]) -> None:
        """Add what it takes to repeat the run, a `RunRecord` as plain data."""

        def add() -> None:
            if self._recorder is not None:
                self._recorder.finish(record)

        self._do(add)

    def save(self, path: Path) -> Recording:
        """Write what there is; waits for it, so call it in the background."""
        return self._thread.submit(lambda: self._known().save(path)).result()

    def recording(self) -> Recording:
        """Give what there is; waits for it, so call it in the background."""
        return self._thread.submit(lambda: self._known().recording("recording")).result()

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _known(self) -> Recorder:
        if self._recorder is None:
            raise InputError("recording: nothing has been recorded yet; run the sampler first.")
        return self._recorder

    def _do(self, job: Callable[[], None]) -> None:
        if self.failure is None:
            with self._lock:
                self._waiting += 1
            self._thread.submit(job).add_done_callback(self._done)

    def _done(self, future: Future[None]) -> None:
        with self._lock:
            self._waiting -= 1
        if future.cancelled():
            return
        error = future.exception()
        if error is not None:
            self.failure = as_notice(error, "recording")
        elif self._recorder is not None:
            self.frames, self.size = len(self._recorder), self._recorder.size
