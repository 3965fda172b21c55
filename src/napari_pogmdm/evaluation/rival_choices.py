"""The learned rivals as methods to compare: those that ship, and users' checkpoints."""

from __future__ import annotations

import hashlib
from pathlib import Path

from napari_pogmdm.evaluation.case import MethodChoice
from napari_pogmdm.evaluation.method_names import parse_rival, parse_sampler
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.reading import is_file
from napari_pogmdm.recon.learned.by_name import DEFAULT_SCORE, load_score
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.method import Method
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.protocol_words import anatomy_of, contrast_of
from napari_pogmdm.rivals.weights import bundled_rivals, load_rival

LABELS = {Method.UNET: "U-Net", Method.VARNET: "VarNet", Method.JSENSE: "Deep J-Sense", Method.SCORE_MRI: "scoreMRI"}
"""What rivals are called, for people."""


def rival_choices() -> tuple[MethodChoice, ...]:
    """Give the rivals that run without a checkpoint of one's own."""
    networks = tuple(checkpoint_choice(rival) for rival in bundled_rivals())
    score = load_prior(DEFAULT_SCORE)
    return (*networks, MethodChoice(LABELS[Method.SCORE_MRI], Method.SCORE_MRI.value, score.parameter_count))


def checkpoint_choice(rival: Rival | None, source: str = "") -> MethodChoice:
    """Load a rival, and make a method of it.

    Parameters
    ----------
    rival
        Which one; ``None`` for whatever the checkpoint holds.
    source
        Checkpoint; empty for the one that ships.
    """
    model = load_rival(rival, source)
    kind = model.shape.kind
    label = LABELS[Method(kind)]
    return MethodChoice(
        f"{label}, {model.name}" if source else label,
        kind.value,
        model.parameters,
        model.source,
        trained_on=model.trained_on,
    )


def seen_before(choice: MethodChoice, measurement: Measurement | None) -> tuple[str, str]:
    """Say whether a rival was trained on such a scan.

    Parameters
    ----------
    choice
        Any method.
    measurement
        What it is to reconstruct.

    Returns
    -------
    A few words for a table and a sentence; both empty for a method that was not trained on scans.
    """
    trained_on = choice.trained_on
    if trained_on is None:
        return "", ""
    told = f"Trained on {trained_on.describe()}."
    if not trained_on.masks or measurement is None:
        return trained_on.describe(), told
    anatomy, contrast = anatomy_of(measurement.protocol), contrast_of(measurement.protocol)
    outside = trained_on.outside(measurement.sampling, anatomy, contrast)
    unknown = [what for what, word in (("anatomy", anatomy), ("contrast", contrast)) if not word]
    if outside:
        return f"{trained_on.describe()}: outside", f"{told} This scan is outside: {', '.join(outside)}."
    if unknown:
        rest = " and ".join(unknown)
        return f"{trained_on.describe()}: mask inside, {rest} unknown", f"{told} The mask is inside; {rest} unknown."
    return f"{trained_on.describe()}: inside", f"{told} This scan is inside: mask, anatomy and contrast."


def learned_parameters(name: str) -> int:
    """Count the numbers that a method of a table has learned; 0 for one that has learned nothing."""
    rival, sampler = parse_rival(name), parse_sampler(name)
    if sampler is not None:
        return load_prior(sampler.model).parameter_count
    if rival is None:
        return 0
    method, checkpoint = rival
    if method is Method.SCORE_MRI:
        return int(getattr(load_score(checkpoint), "parameter_count", 0))
    return load_rival(Rival(method), checkpoint).parameters


def rival_fingerprint(method: Method, checkpoint: str) -> str:
    """Name the weights of a rival by their bytes, whatever file they are in; empty for a model known by its name."""
    path = Path(checkpoint) if checkpoint else bundled_rivals().get(Rival(method)) if method in {*Rival} else None
    if path is None or not is_file(path):
        return checkpoint
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
