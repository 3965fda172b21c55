from __future__ import annotations

from dataclasses import replace

import numpy as np

from napari_pogmdm.data.fastmri import open_fastmri
from napari_pogmdm.gui.docks.data.scan_card import card_of, shortened


def test_the_card_says_what_the_header_says(fastmri_file):
    card = card_of(open_fastmri(fastmri_file())[1], {"slice": 2})
    assert card == {
        "Source": "file1000000.h5, slice 1",
        "Slices": "2",
        "Coils": "4",
        "k-space": "48 x 40",
        "Image": "24 x 32",
        "Encoded FOV": "280 x 162.8 mm",
        "Image FOV": "140 x 140 mm",
        "Oversampling": "2 times along the readout",
        "Padding": "2 columns at the left and 2 at the right are zero",
        "Contrast": "CORPD_FBK",
        "Field": "2.89 T",
        "Sampling": "full",
        "Reference": "in the file",
    }


def test_the_card_names_what_the_file_leaves_out(fastmri_file):
    mask = np.arange(40) % 4 == 0
    path = fastmri_file(ismrmrd_header=None, reconstruction_rss=None, mask=mask)
    card = card_of(open_fastmri(path)[0], {"slice": 2})
    assert card["Sampling"] == "4 times undersampled in the file"
    assert card["Reference"] == "none"
    assert card["Not stated"] == "encoded FOV, image FOV, oversampling, padding, field"


def test_simulated_scans_say_where_their_reference_comes_from(small_scan):
    assert card_of(small_scan, {"slice": 1})["Reference"] == "the image that was scanned"


def test_long_names_do_not_make_the_dock_wider():
    assert shortened("short.h5, slice 3") == "short.h5, slice 3"
    word = shortened("meas_MID00243_FID33257_a_long_protocol_name.dat, slice 3").split(",")[0]
    assert len(word) <= 22
    assert word.startswith("meas_MID002")
    assert word.endswith("name.dat")


def test_what_was_found_and_done_is_said(small_scan):
    card = card_of(replace(small_scan, remarks=("whitened", "oversampling removed")), {"slice": 1, "contrast": 3})
    assert card["Found, done"] == "whitened; oversampling removed"
    assert card["Contrasts"] == "3"
