"""What a scan's name says about anatomy and contrast: fastMRI's kinds of scan, and names of protocols."""

from __future__ import annotations

import re

_ANATOMY = {
    "brain": r"brain|head|neuro|mp2?rage|\bax_?(t1|t2|flair)",  # fastMRI's brains are AXT1, AXT1PRE, AXT2, AXFLAIR
    "knee": r"knee|\bcor_?pd",  # fastMRI's knees are CORPD_FBK and CORPDFS_FBK
    "pelvis": r"pelvis|prostate|hip",
    "spine": r"spine|lumbar",
    "heart": r"heart|cardiac|cine",
    "abdomen": r"abdomen|liver|kidney",
}
_CONTRAST = {
    "FLAIR": r"flair|tirm",  # first, as such a name often says T2, too
    "T1": r"t1(?!rho)|mp2?rage",
    "T2": r"t2",
    "PD": r"(?<![a-z])pd|corpd|proton",
}


def anatomy_of(protocol: str) -> str:
    """Name the anatomy that a name speaks of; empty if it does not say."""
    return _found(_ANATOMY, protocol)


def contrast_of(protocol: str) -> str:
    """Name the contrast that a name speaks of; empty if it does not say."""
    return _found(_CONTRAST, protocol)


def _found(words: dict[str, str], protocol: str) -> str:
    return next((name for name, pattern in words.items() if re.search(pattern, protocol.casefold())), "")
