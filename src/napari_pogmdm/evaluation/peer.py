"""Names of other programs to compare with."""

from __future__ import annotations

from enum import StrEnum


class Peer(StrEnum):
    """A method of another program; `napari_pogmdm.evaluation.peers.run_peer` runs each by its name."""

    BART_TV = "bart-tv"
    BART_WAVELET = "bart-wavelet"
    BART_NLINV = "bart-nlinv"
    SIGPY_L1WAVELET = "sigpy-l1wavelet"
