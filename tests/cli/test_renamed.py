"""Older words of the command line still work, and say what they are called now."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.cli.renamed import with_present_names


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ([], []),
        (["record", "demo", "-o", "x"], ["recording", "demo", "-o", "x"]),
        (["reconstruct", "record", "--acl", "0.1"], ["reconstruct", "record", "--acs", "0.1"]),
        (["mask", "--acl=0.1"], ["mask", "--acs=0.1"]),
    ],
)
def test_old_words_are_replaced_where_they_stand_for_a_name(typed, meant, capsys):
    assert with_present_names(typed) == meant
    said = capsys.readouterr().err
    assert said.count(" now; the old name will be removed.") == sum(a != b for a, b in zip(typed, meant, strict=True))


def test_an_old_option_does_what_the_new_one_does(run, tmp_path: Path):
    for option in ("--acl", "--acs"):
        code, _, err = run("mask", "--shape", "64x64", option, "0.2", "-o", tmp_path / f"{option}.npy")
        assert code == 0
        assert ("--acl is called --acs now" in err) == (option == "--acl")
    np.testing.assert_array_equal(np.load(tmp_path / "--acl.npy"), np.load(tmp_path / "--acs.npy"))
