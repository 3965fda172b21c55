from __future__ import annotations

from pathlib import Path

import pytest

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("P12345.7", "GE .* ge_to_ismrmrd"),
        ("scan.RAW", "Philips.* philips_to_ismrmrd"),
        ("scan.par", "Philips.* parrec2nii"),
        ("fid", "Bruker .* bruker_to_ismrmrd"),
        ("data.mat", "MATLAB .* numpy.save"),
        ("data.mrd", "stream of MRD"),
        ("data.xyz", "of a kind that this program does not read; give fastMRI and ISMRMRD"),
    ],
)
def test_a_file_of_another_kind_gets_the_way_to_convert_it(tmp_path: Path, name: str, words: str):
    (tmp_path / name).write_bytes(b"anything" * 100)
    with pytest.raises(InputError, match=words):
        open_scan(tmp_path / name)


def test_a_folder_of_bruker_is_told(tmp_path: Path):
    (tmp_path / "fid").write_bytes(b"1234")
    with pytest.raises(InputError, match="Bruker"):
        open_scan(tmp_path)
