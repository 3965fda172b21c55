from __future__ import annotations

import os

import numpy as np
import pytest

from napari_pogmdm.data.arrays.axes import NamedArray, parse_axes
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError


def test_axes_are_named_in_words_or_guessed():
    assert parse_axes("", (2, 3), "k.npy") == ("rows", "columns")
    assert parse_axes("", (4, 2, 3), "k.npy") == ("coils", "rows", "columns")
    assert parse_axes("", (5, 4, 2, 3), "k.npy")[0] == "slices"
    assert parse_axes("row, Column,coil,-", (2, 3, 4, 1), "k.npy") == ("rows", "columns", "coils", "-")
    assert parse_axes("", (4, 2, 3), "k.npy", along_trajectory=True) == ("coils", "samples", "samples")


@pytest.mark.parametrize(
    ("text", "shape", "along", "words"),
    [
        ("", (1, 2, 3, 4, 5, 6), False, "has 6 axes .* say which is which with --axes"),
        ("coils,rows", (2, 3, 4), False, "has 3 axes .* but --axes names 2"),
        ("rows,rows,columns", (2, 3, 4), False, "names rows twice"),
        ("coils,rows,slices", (2, 3, 4), False, "names no columns and rows"),
        ("coils,rows,depth", (2, 3, 4), False, "has no 'depth'; choose from coils"),
        ("samples,rows,columns", (2, 3, 4), False, "names samples, but there is no trajectory"),
        ("coils,samples,rows", (2, 3, 4), True, "names rows or columns"),
        ("-,rows,columns", (2, 3, 4), False, "no name to an axis that is longer than one"),
    ],
)
def test_names_that_make_no_sense_are_refused(text, shape, along, words):
    with pytest.raises(InputError, match=words):
        parse_axes(text, shape, "k.npy", along)


def test_an_image_is_taken_out_in_the_order_that_is_asked_for():
    values = np.arange(2 * 3 * 4 * 5 * 6).reshape(2, 3, 4, 5, 6)
    array = NamedArray(values, ("columns", "repetitions", "rows", "averages", "coils"))
    assert array.counters() == {"repetition": 3}
    found = array.take({"repetition": 1}, ("coils", "rows", "columns"))
    np.testing.assert_allclose(found, values[:, 1].mean(axis=2).transpose(2, 1, 0))
    samples = NamedArray(values, ("-", "samples", "coils", "samples", "repetitions"))
    assert samples.take({"repetition": 5}, ("coils", "samples")).shape == (4, 15)


@pytest.mark.parametrize("opened", ["npy", "cfl"])
def test_a_mapped_file_that_has_become_shorter_is_a_sentence(tmp_path, opened):
    """Read beyond its end, the system would end the program (SIGBUS)."""
    values = np.ones((4, 64, 64), np.complex64)
    file = tmp_path / f"a.{opened}"
    if opened == "npy":
        np.save(file, values)
    else:
        values.T.tofile(file)
        (tmp_path / "a.hdr").write_text("# Dimensions\n64 64 1 4\n")
    scan = open_scan(file)
    assert scan[0].coils == 4
    os.truncate(file, file.stat().st_size // 2)
    with pytest.raises(InputError, match="has become shorter since it was opened"):
        scan[0]
