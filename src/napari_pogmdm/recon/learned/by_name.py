"""The learned rivals by name: their models, loaded and bound to a measurement."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import Variant
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.learned.jsense import JsenseMethod
from napari_pogmdm.recon.learned.run_stepper import run_stepper
from napari_pogmdm.recon.learned.score_mri import Score, ScoreMri, ScoreMriSettings
from napari_pogmdm.recon.learned.unet import UnetMethod
from napari_pogmdm.recon.learned.varnet import VarnetMethod
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.stepper import CancelCheck, Progress, Stepper
from napari_pogmdm.rivals.exported import is_exported, load_exported
from napari_pogmdm.rivals.weights import RivalModel, load_rival
from napari_pogmdm.settings import Settings

DEFAULT_SCORE = Variant.FLF_TC.value
"""Model whose score scoreMRI uses unless one says otherwise."""

RIVAL_SETTINGS: dict[Method, type[ScoreMriSettings] | None] = {
    Method.UNET: None,
    Method.VARNET: None,
    Method.JSENSE: None,
    Method.SCORE_MRI: ScoreMriSettings,
}
"""Settings of each rival; ``None`` for one that has none."""

_NETWORKS: dict[Method, Callable[[Measurement, RivalModel], Stepper[Any]]] = {
    Method.UNET: UnetMethod,
    Method.VARNET: VarnetMethod,
    Method.JSENSE: JsenseMethod,
}


def load_score(source: str | Path | Score) -> Score:
    """Load a score for scoreMRI: a prior by name or file, or an exported program of torch."""
    if not isinstance(source, (str, Path)):
        return source
    return load_exported(Path(source)) if is_exported(source) else load_prior(source or DEFAULT_SCORE)


def run_rival(
    measurement: Measurement,
    method: str,
    model: str | Path | RivalModel | Score,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Reconstruction:
    """Run a rival to its end, or until ``cancelled()`` returns true.

    Parameters
    ----------
    measurement
        To reconstruct from.
    method
        One of `napari_pogmdm.recon.method.RIVALS`.
    model
        A checkpoint, "" for the weights that ship, or a loaded model.
    settings
        Of scoreMRI; the others have none.
    seed
        Of scoreMRI's noise.
    progress
        Called with the steps done and the steps in all.
    cancelled
        Asked before every step.
    """
    begun = time.perf_counter()
    facts: dict[str, Any]
    stepper: Stepper[Any]
    if method == Method.SCORE_MRI:
        if isinstance(model, RivalModel):
            raise InputError(f"model: {model.name} is a {model.shape.kind}, which has no score; give a prior.")
        score = load_score(model)
        facts = {"model": str(model) if isinstance(model, (str, Path)) else "", "seed": seed}
        own = settings if isinstance(settings, ScoreMriSettings) else ScoreMriSettings()
        stepper = ScoreMri(measurement, score, own, seed)
    else:
        loaded = model if isinstance(model, RivalModel) else load_rival(method, _path(model, method))
        if loaded.shape.kind != method:
            raise InputError(f"model: {loaded.name} is a {loaded.shape.kind}, not a {method}.")
        facts = {"model": loaded.source, "sha256": loaded.sha256, "parameters": loaded.parameters}
        facts |= {"trained_on": loaded.trained_on.to_dict()}
        stepper = _NETWORKS[Method(method)](measurement, loaded)
    return run_stepper(measurement, method, stepper, sampler=facts, progress=progress, cancelled=cancelled, begun=begun)


def _path(model: object, method: str) -> str | Path:
    if isinstance(model, (str, Path)):
        return model
    raise InputError(f"model: a {type(model).__name__} is not a checkpoint of a {method}.")
