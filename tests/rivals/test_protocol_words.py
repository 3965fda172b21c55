"""Names of scans are understood where they say something, and never guessed from."""

from __future__ import annotations

import pytest

from napari_pogmdm.rivals.protocol_words import anatomy_of, contrast_of


@pytest.mark.parametrize(
    ("protocol", "anatomy", "contrast"),
    [
        ("CORPD_FBK", "knee", "PD"),
        ("CORPDFS_FBK", "knee", "PD"),
        ("AXT1POST", "brain", "T1"),
        ("AXFLAIR", "brain", "FLAIR"),
        ("t2_tse_tra prostate", "pelvis", "T2"),
        ("tse T2 dark-fluid FLAIR head", "brain", "FLAIR"),
        ("MPRAGE_1mm", "brain", "T1"),
        ("update of a phantom", "", ""),
        ("", "", ""),
    ],
)
def test_words_of_a_protocol(protocol, anatomy, contrast):
    assert (anatomy_of(protocol), contrast_of(protocol)) == (anatomy, contrast)
