from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.training import sources


def archive_with(path: Path, members: dict[str, bytes]) -> str:
    with tarfile.open(path, "w:gz") as file:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_only_the_named_members_of_a_checked_archive_are_read(tmp_path: Path) -> None:
    source = sources.SOURCES[0]
    archive = tmp_path / source.archive
    wanted = "pydeface-2.1.0" + source.members
    digest = archive_with(archive, {wanted: b"volume", "../evil": b"evil", "pydeface-2.1.0/setup.py": b"code"})
    sources.check(archive, digest)
    sources.extract(archive, source, tmp_path / "brain-t1.nii.gz")
    assert (tmp_path / "brain-t1.nii.gz").read_bytes() == b"volume"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["brain-t1.nii.gz", source.archive]
    with pytest.raises(InputError, match="sha256"):
        sources.check(archive, source.sha256)


def test_the_folder_with_identity_tags_is_never_named() -> None:
    knee = sources.SOURCES[1]
    assert knee.members.endswith("_anon/")
    assert "/data/MESE_T2_dicom_data/" not in knee.members


def test_shipped_split_holds_out_the_test_blocks() -> None:
    assert sources.SPLIT["brain-t1.nii.gz"]["test"] == [[110, 130]]
    assert sources.SPLIT["knee.npz"]["test"] == [[10, 13]]
    assert sources.SPLIT["brain-pd.npz"]["test"] == [[8, 11]]
