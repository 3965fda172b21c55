"""The ground of a comparison on every slice of a scan, with the mask and the coils of the shown one; no Qt in here."""

from __future__ import annotations

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Acquisition, Scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import Ground
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.mask_recipe import MaskRecipe
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample


class Grounds:
    """Makes the ground of a slice when it is asked for, and keeps the last one; used from one thread at a time.

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
        wish: MaskRecipe | Mask,
    ) -> None:
        self.measurement = measurement
        self.reference = reference
        self._acquisition = acquisition
        self._shown = shown
        self._scan = scan
        self._wish = wish
        self._last: tuple[int, Ground] | None = None

    @classmethod
    def of(cls, session: Session) -> Grounds:
        """Stand on what the session holds now."""
        if session.acquisition is None or session.measurement is None:
            raise InputError("compare: open a scan first.")
        return cls(
            session.acquisition,
            session.measurement,
            session.reference,
            session.slice_index,
            session.scan,
            session.mask_request,
        )

    def __call__(self, index: int) -> Ground:
        """Give the ground of a slice."""
        if self._last is None or self._last[0] != index:
            self._last = (index, self._make(index))
        return self._last[1]

    def _make(self, index: int) -> Ground:
        if index == self._shown or self._scan is None:
            return Ground.of(self._acquisition, self.measurement, self.reference)
        acquisition = self._scan[index]
        mask = self._wish if isinstance(self._wish, Mask) else self._wish.make(acquisition)
        measurement = undersample(
            acquisition,
            mask,
            coils=self.measurement.preparation.coils,
            device=self.measurement.kspace.device,
        )
        return Ground.of(acquisition, measurement, reference_image(acquisition))
