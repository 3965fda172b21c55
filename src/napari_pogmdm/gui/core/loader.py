"""From what the user chose to what can be reconstructed: loads slices, makes masks, measures, in the background.

There is no Qt in here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Acquisition, InMemoryScan, Scan
from napari_pogmdm.data.dimensions import words_of
from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.background.opening import Indexing, OpenedSlice, read_slice
from napari_pogmdm.gui.background.preview import Preview, preview, preview_of
from napari_pogmdm.gui.background.worker import Worker
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.open_files import keep_open
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.masks.names import AUTO, OWN
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.sampling.trajectory_recipe import TrajectoryRecipe
from napari_pogmdm.recon.virtual_coils import virtual_coils
from napari_pogmdm.runs.recording import Recording
from napari_pogmdm.runs.recording_reader import read_recording
from napari_pogmdm.runtime.device import Device, DeviceChoice, choose_device


@dataclass(frozen=True, eq=False)
class MaskPreview:
    """A mask that was made, and what it does to the slice.

    Attributes
    ----------
    mask
        As it was made, or as the file has it.
    preview
        Zero-filled image and point spread.
    """

    mask: Mask | Trajectory
    preview: Preview


class Loader:
    """Keeps the session's derived fields up to date.

    Parameters
    ----------
    session
        What is read and filled.
    tell
        Called with sentences for the user, in the window's thread.
    wake
        See `Worker`.
    """

    def __init__(
        self, session: Session, tell: Callable[[Notice], None], wake: Callable[[], None] | None = None
    ) -> None:
        self._session = session
        self._tell = tell
        self.source: str | Path = ""
        self._indexing = Indexing(wake)
        self._loading = Worker("pogmdm loading", self._not_loaded, wake)
        self._measuring = Worker("pogmdm measuring", tell, wake)
        self._models = Worker("pogmdm models", tell, wake)
        self._devices = Worker("pogmdm devices", tell, wake)
        self._recordings = Worker("pogmdm recordings", tell, wake)
        self._workers = (self._loading, self._measuring, self._models, self._devices, self._recordings)
        for event in (session.events.acquisition, session.events.mask_request):
            event.connect(self._measure)
        for event in (session.events.virtual_coils, session.events.device):
            event.connect(self._measure)

    @property
    def busy(self) -> bool:
        """Whether anything is being prepared."""
        return any(worker.busy for worker in self._workers)

    @property
    def measuring(self) -> bool:
        """Whether a mask is being made or applied."""
        return self._measuring.busy

    def open(self, source: str | Path, index: int | None = None, options: ReadOptions | None = None) -> None:
        """Open a scan by path or by name ("demo", "phantom") at a slice, or at its middle one.

        Parameters
        ----------
        source
            What `open_scan` takes.
        index
            Of the slice.
        options
            How to read an array that does not say it itself.
        """
        self.source = source
        wanted = options or ReadOptions()
        self._load(Path(source).name, lambda cancelled: self._indexing.open(source, index, wanted, cancelled))

    def take(self, scan: Scan, index: int | None = None) -> None:
        """Work on a scan that is open already."""
        self._load(scan.name, lambda cancelled: read_slice(scan, index))

    def simulate(self, image: NDArray[np.generic], coils: int, noise: float, name: str, seed: int = 0) -> None:
        """Work on a simulated scan of an image.

        Parameters
        ----------
        image
            (rows, columns), real or complex.
        coils, noise, seed
            Of the scan; see `simulate_scan`.
        name
            Of the scan.
        """

        def job(cancelled: Callable[[], bool]) -> OpenedSlice:
            return read_slice(InMemoryScan(name, (simulate_scan(image, coils, noise, seed, name),)), 0)

        self._load(name, job)

    def load_slice(self, index: int) -> None:
        """Go to another slice of the open scan."""
        scan = self._session.scan
        if scan is not None:
            self._load(f"{scan.name}, {words_of(scan, index)}", lambda cancelled: read_slice(scan, index))

    def load_model(self, name: str | Path, otherwise: str | None = None) -> None:
        """Load a prior.

        Parameters
        ----------
        name
            Of a shipped model, or path of a weight file.
        otherwise
            Name of the model that takes its place if it cannot be read.
        """

        def job(cancelled: Callable[[], bool]) -> tuple[ScorePrior, str]:
            try:
                return load_prior(name), ""
            except InputError as error:
                if otherwise is None:
                    raise
                return load_prior(otherwise), f"{error} {otherwise} is used instead."

        def arrived(found: tuple[ScorePrior, str]) -> None:
            prior, excuse = found
            self._session.prior = prior
            if excuse:
                self._tell(Notice(NoticeKind.INFORMATION, excuse))

        self._models.submit(str(name), job, arrived)

    def choose_device(self, request: str) -> None:
        """Compute on the device asked for from now on, or on the best one if it is not there."""

        def job(cancelled: Callable[[], bool]) -> tuple[DeviceChoice, str]:
            try:
                return choose_device(request), ""
            except InputError as error:
                return choose_device(Device.AUTO), str(error)

        def chosen(found: tuple[DeviceChoice, str]) -> None:
            choice, excuse = found
            self._session.device_request = str(Device.AUTO if excuse else request)
            self._session.device_reason = choice.reason
            self._session.device = str(choice.name)
            if excuse:
                self._tell(Notice(NoticeKind.ERROR, excuse))

        self._devices.submit("device", job, chosen)

    def open_recording(self, path: Path) -> None:
        """Open a recorded run to look at."""

        def arrived(recording: Recording) -> None:
            self._session.recording = recording

        self._recordings.submit(path.name, lambda cancelled: read_recording(path), arrived)

    def cancel(self) -> None:
        """Give up loading a scan or a slice; the short jobs that follow from it are let through."""
        self._loading.cancel()
        self._session.loading = ""

    def deliver(self) -> None:
        """Hand over what is finished; called from the window's timer."""
        for worker in self._workers:
            worker.deliver()
        self._session.indexed = self._indexing.words

    def close(self) -> None:
        """End the threads."""
        keep_open(id(self._session), None)
        for worker in self._workers:
            worker.close()

    def _load(self, name: str, read: Callable[[Callable[[], bool]], OpenedSlice]) -> None:
        self._session.loading, self._session.trouble = name, ""
        self._loading.submit(name, read, self._opened)

    def _not_loaded(self, notice: Notice) -> None:
        self._session.loading, self._session.trouble = "", notice.text
        self._tell(notice)

    def _opened(self, opened: OpenedSlice) -> None:
        session = self._session
        request = session.mask_request
        along = opened.acquisition.trajectory is not None
        own = (along or opened.acquisition.mask is not None) and opened.scan is not session.scan
        if own and not isinstance(request, Mask) and request.kind != OWN:
            # what lacks samples is not undersampled once more unasked
            session.mask_request = replace(request, kind=AUTO) if isinstance(request, MaskRecipe) else MaskRecipe()
        origin = opened.acquisition.origin
        keep_open(id(session), None if origin is None else origin.scan)
        session.scan = opened.scan
        session.slice_index = opened.index
        session.reference = opened.reference
        session.acquisition = opened.acquisition
        session.loading = ""

    def _measure(self) -> None:
        session = self._session
        acquisition = session.acquisition
        session.measurement = None
        if acquisition is None:
            return
        request = session.mask_request
        unfit = acquisition.trajectory is not None
        if isinstance(request, Mask) and (unfit or request.shape != acquisition.shape):
            other = "its trajectory" if unfit else "a Cartesian one"
            said = f"The drawn mask does not fit {acquisition.source}; {other} is used instead."
            self._tell(Notice(NoticeKind.INFORMATION, said))
            session.mask_request = MaskRecipe()
            return
        coils, device = session.virtual_coils, session.device

        def job(cancelled: Callable[[], bool]) -> Generator[MaskPreview | Measurement, None, None]:
            return measured_in_parts(acquisition, request, coils, device)

        self._measuring.submit(acquisition.source, job, self._measured)

    def _measured(self, part: MaskPreview | Measurement) -> None:
        if isinstance(part, Measurement):
            self._session.measurement = part
            return
        self._session.trajectory = part.mask if isinstance(part.mask, Trajectory) else None
        self._session.mask = part.mask if isinstance(part.mask, Mask) else None
        self._session.preview = part.preview


def measured_in_parts(
    acquisition: Acquisition, request: MaskRecipe | TrajectoryRecipe | Mask, coils: int, device: str
) -> Generator[MaskPreview | Measurement, None, None]:
    """Make the mask and show what it does, then undersample; where possible, the preview comes first.

    A preview needs one plain transform, and a brush is followed the better the sooner it is there. It has to wait where
    undersampling decides what is shown: with fewer coils, or a file that lacks samples.

    Parameters
    ----------
    acquisition
        The slice.
    request
        How the mask is made, or the mask.
    coils
        Virtual coils to compress to, as `virtual_coils` reads them.
    device
        Name of the torch device for the measurement.
    """
    mask = request if isinstance(request, Mask) else request.make(acquisition)
    if isinstance(mask, Trajectory):
        along = undersample(acquisition, mask, coils=coils, device=device)
        yield from (MaskPreview(mask, preview_of(along)), along)
        return
    count = virtual_coils(coils, acquisition.shape)
    all_coils = count is None or count >= acquisition.coils
    early = all_coils and acquisition.mask is None and bool((acquisition.kspace[:, mask.samples] != 0).any())
    if early:
        yield MaskPreview(mask, preview(acquisition.kspace, mask, acquisition.crop))
    measurement = undersample(acquisition, mask, coils=coils, device=device)
    if not early:
        samples = (measurement.kspace * measurement.scale).cpu().numpy()
        yield MaskPreview(measurement.mask, preview(samples, measurement.mask, measurement.crop))
    yield measurement
