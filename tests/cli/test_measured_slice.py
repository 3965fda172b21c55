"""One slice of a scan, opened and measured for a command."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.cli.measured_slice import measure_slice, open_slice
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe


def test_a_command_that_takes_one_slice_says_so(fastmri_file):
    path = str(fastmri_file())
    np.testing.assert_array_equal(open_slice(path, "middle", "compare").kspace, open_slice(path, "1", "x").kspace)
    with pytest.raises(InputError, match="--slice: compare takes one slice"):
        open_slice(path, "all", "compare")


def test_a_measured_slice_has_its_mask_coils_and_reference(fastmri_file):
    acquisition = open_slice(str(fastmri_file()), "0", "compare")
    measured = measure_slice(acquisition, MaskRecipe("cartesian", 2.0, 0.2), 3, "cpu")
    assert measured.measurement.kspace.shape == (3, 48, 40)
    assert measured.measurement.mask.kind == "cartesian"
    assert measured.reference is not None
    assert measured.reference.shape == (24, 32)
    assert measure_slice(acquisition, MaskRecipe("cartesian", 2.0), 0, "cpu").measurement.kspace.shape[0] == 4
