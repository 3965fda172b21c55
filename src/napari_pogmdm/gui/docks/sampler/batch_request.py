"""What a batch is asked to do: the settings, the model and the mask of the docks, for every slice of a scan."""

from __future__ import annotations

from pathlib import Path

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.batch import batch_command
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.physics.masks.mask import Mask, save_mask
from napari_pogmdm.physics.masks.names import AUTO
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.sample import record_of
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe


def batch_request(session: Session, source: str, output: Path, cluster: str = "") -> list[str]:
    """Give the command that reconstructs all slices of a scan as the docks are set now.

    Parameters
    ----------
    session
        What the docks show.
    source
        The scan.
    output
        The result file; a mask that was drawn is saved beside it.
    cluster
        Where slices run, as ``--cluster`` takes it; empty for this machine.
    """
    if session.measurement is None or session.prior is None:
        raise InputError("batch: open a scan and choose a model first, so that mask and settings are known.")
    record = record_of(RunRequest(session.measurement, session.prior, session.settings, session.chains, session.seed))
    if not record.scan.get("scan"):
        record.scan["scan"] = source
        record.scan.setdefault("index", 0)
    return batch_command(record, source, output, _mask(session.mask_request, output), cluster)


def _mask(request: object, output: Path) -> str | None:
    """Say what ``--mask`` takes where the record of one slice cannot tell it for all."""
    if isinstance(request, Mask):
        path = output.with_name(f"{output.stem}-mask.npy")
        save_mask(request, path)
        return str(path)
    return AUTO if isinstance(request, MaskRecipe) and request.kind == AUTO else None
