from __future__ import annotations

from pathlib import Path

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import atomic_path


def test_a_full_disk_is_said_in_one_sentence(tmp_path: Path):
    def fill() -> None:
        with atomic_path(tmp_path / "a.npy"):
            raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"a\.npy: could not be written.*disk full"):
        fill()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("where", ["missing/out.h5", "."])
def test_places_that_cannot_be_written_are_named(tmp_path: Path, where: str):
    with pytest.raises(InputError, match=r"cannot be written|not an ordinary file"), atomic_path(tmp_path / where):
        pass
