"""The cases of a comparison: every slice of a scan with the mask and the coils of the shown one; no Qt in here."""

from __future__ import annotations

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Acquisition, Scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import Case
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.sampling.trajectory_recipe import TrajectoryRecipe


class SliceCases:
    """Makes the case of a slice when it is asked for, and keeps the last one; used from one thread at a time.

    Parameters
    ----------
    acquisition, measurement, reference
        Of the shown slice.
    shown
        Its index.
    scan
        Where the other slices come from, if there are any.
    mask_request
        What gives the other slices their masks.

    Attributes
    ----------
    measurement, reference
        Of the shown slice.
    """

    def __init__(
        self,
        acquisition: Acquisition,
        measurement: Measurement,
        reference: FloatImage | None,
        shown: int,
        scan: Scan | None,
        mask_request: MaskRecipe | TrajectoryRecipe | Mask,
    ) -> None:
        self.measurement = measurement
        self.reference = reference
        self._acquisition = acquisition
        self._shown = shown
        self._scan = scan
        self._mask_request = mask_request
        self._last: tuple[int, Case] | None = None

    @classmethod
    def of(cls, session: Session) -> SliceCases:
        """Take what the session holds now."""
        if session.acquisition is None or session.measurement is None:
            raise InputError(f"compare: {session.missing}.")
        return cls(
            session.acquisition,
            session.measurement,
            session.reference,
            session.slice_index,
            session.scan,
            session.mask_request,
        )

    def __call__(self, index: int) -> Case:
        """Give the case of a slice."""
        if self._last is None or self._last[0] != index:
            self._last = (index, self._make(index))
        return self._last[1]

    def _make(self, index: int) -> Case:
        if index == self._shown or self._scan is None:
            return Case.of(self._acquisition, self.measurement, self.reference)
        acquisition = self._scan[index]
        mask = self._mask_request if isinstance(self._mask_request, Mask) else self._mask_request.make(acquisition)
        measurement = undersample(
            acquisition,
            mask,
            coils=self.measurement.preparation.coils,
            device=self.measurement.kspace.device,
        )
        return Case.of(acquisition, measurement, reference_image(acquisition))
