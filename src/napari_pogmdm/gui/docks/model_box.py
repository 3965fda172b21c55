"""A box to choose a model in: the shipped ones, and the session's own where it came from a file."""

from __future__ import annotations

from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.prior.weights import list_models
from napari_pogmdm.recon.defaults import DEFAULT_MODEL


class ModelBox(Combo):
    """Model names; the session's model is offered, and chosen, when it changes.

    Parameters
    ----------
    session
        Whose model is offered and followed.
    sized
        Whether the numbers of parameters stand after the names.
    """

    def __init__(self, session: Session, sized: bool = True) -> None:
        super().__init__()
        self._session = session
        self._sized = sized
        self.setAccessibleName("Model")
        self.setToolTip("The prior p(x, t): a product of Gaussian-mixture experts on filter responses, eq. (16)")
        for entry in list_models():
            self._offer(entry.name, entry.parameter_count, entry.name)
        self.follow_session()

    def _offer(self, name: str, parameters: int, source: str) -> None:
        self.addItem(f"{name} ({parameters:,} parameters)" if self._sized else name, source)

    @property
    def source(self) -> str:
        """What `load_prior` takes."""
        return str(self.currentData())

    def follow_session(self) -> None:
        """Offer and choose the session's model."""
        prior = self._session.prior
        if prior is None:
            self.setCurrentIndex(max(0, self.findData(DEFAULT_MODEL.value)))
            return
        source = str(prior.information.get("source", prior.name))
        if self.findData(source) < 0:
            self._offer(prior.name, prior.parameter_count, source)
        self.setCurrentIndex(self.findData(source))
