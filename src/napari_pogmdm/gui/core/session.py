"""What the window works on: one evented model that all docks read and write, so that docks need not know each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from psygnal import SignalGroupDescriptor

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Acquisition, Scan
from napari_pogmdm.gui.background.preview import Preview
from napari_pogmdm.gui.core.pin import Ghost, Pin
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.defaults import DEFAULT_COILS, DEFAULT_PRESET
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.sampling.trajectory_recipe import TrajectoryRecipe
from napari_pogmdm.runs.recording import Recording
from napari_pogmdm.runs.status import Frame, RunStatus, TracePoint
from napari_pogmdm.runtime.device import Device

LARGEST_SEED = 2**31 - 1
"""What the window's spin boxes hold: 32 bits with a sign."""


_MOST_GHOSTS = 4  # whose curves can be told apart


@dataclass(eq=False)
class Session:
    """The state of the window. It is changed in the window's thread only; ``events.<field>`` tells of every change.

    Attributes
    ----------
    events
        A signal for each of the others, by its name.
    scan, slice_index
        What is open, and the slice that was loaded last.
    loading, indexed
        Name of what is being loaded, and how far a large file is indexed, in words; empty while nothing is.
    trouble
        What was wrong with the last file, as a sentence.
    recent
        Paths of scans that were opened, the newest first.
    acquisition, reference
        The loaded slice and its fully sampled image, cropped, where there is one.
    mask_request
        A recipe that makes a mask or a trajectory for every slice, or a mask that was drawn or loaded.
    mask, trajectory, measurement, preview
        What was made of it for the loaded slice, a mask or a trajectory; ``None`` while it is being made.
    virtual_coils
        To compress to; 0 keeps all, -1 (`AUTO_COILS`) goes by the size of the image.
    device_request
        What the user asked for, such as "auto".
    device, device_reason
        Name of the torch device, and why it was chosen.
    prior
        The model; ``None`` while it is being loaded.
    settings, chains, seed
        Of the next run.
    status, frame, trace, result
        Of the current run, as last heard. ``trace`` grows while it goes on.
    ghosts
        Earlier runs on the same slice, whose curves stay to be compared with.
    pins
        Results that the user keeps, whatever comes next.
    recording, recording_frame
        The recorded run that is looked at instead of a live one, and the frame of it that is shown.
    """

    events: ClassVar[SignalGroupDescriptor] = SignalGroupDescriptor()

    scan: Scan | None = None
    slice_index: int = 0
    loading: str = ""
    indexed: str = ""
    trouble: str = ""
    recent: tuple[str, ...] = ()
    acquisition: Acquisition | None = None
    reference: FloatImage | None = None
    mask_request: MaskRecipe | TrajectoryRecipe | Mask = field(default_factory=MaskRecipe)
    mask: Mask | None = None
    trajectory: Trajectory | None = None
    measurement: Measurement | None = None
    preview: Preview | None = None
    virtual_coils: int = DEFAULT_COILS
    device_request: str = Device.AUTO.value
    device: str = Device.CPU.value
    device_reason: str = ""
    prior: ScorePrior | None = None
    settings: SamplerSettings = field(default_factory=lambda: preset(DEFAULT_PRESET))
    chains: int = 1
    seed: int = 0
    status: RunStatus = field(default_factory=RunStatus)
    frame: Frame | None = None
    trace: tuple[TracePoint, ...] = ()
    result: Reconstruction | None = None
    ghosts: tuple[Ghost, ...] = ()
    pins: tuple[Pin, ...] = ()
    recording: Recording | None = None
    recording_frame: int = 0

    @property
    def missing(self) -> str:
        """What a reconstruction still needs, as half a sentence; empty if everything is there."""
        if self.measurement is None:
            return "open a scan first" if self.acquisition is None else "the mask is still being applied"
        return "no model is loaded; choose one in the Model dock" if self.prior is None else ""

    def clear_run(self) -> None:
        """Forget what is known of the current run."""
        self.trace = ()
        self.frame = None
        self.result = None

    def keep_ghost(self, label: str) -> None:
        """Keep the curves of the run that is about to be forgotten, or of the branch that a fork leaves.

        Those of a pinned run stay with it.
        """
        if len(self.trace) > 1 and not any(self._shows(pin) for pin in self.pins):
            self.ghosts = (*self.ghosts, Ghost(label, self.trace))[-_MOST_GHOSTS:]

    @property
    def earlier(self) -> tuple[Ghost, ...]:
        """Runs whose curves are drawn beside the present one: those that are pinned, and then the last ones."""
        return (*(pin.ghost for pin in self.pins if pin.trace and not self._shows(pin)), *self.ghosts)

    def _shows(self, pin: Pin) -> bool:
        """Whether the run that is shown is one that is pinned."""
        return bool(self.trace and pin.trace) and pin.trace[-1] is self.trace[-1]

    def add_points(self, points: tuple[TracePoint, ...]) -> None:
        """Put points after the trace; a moment that is measured again counts once."""
        if points:
            kept = [point for point in self.trace if point.moment < points[0].moment]
            self.trace = (*kept, *points)

    def forget_after(self, moment: tuple[int, int, int]) -> None:
        """Forget what came after a moment (chain, iteration, substep), from which the run goes on once more."""
        self.trace = tuple(point for point in self.trace if point.moment <= moment)
        self.result = None
