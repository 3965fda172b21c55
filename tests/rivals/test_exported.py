"""Exported programs of torch: one of any size runs, and one that could run code is refused before torch reads it."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.rivals.exported import check_archive, is_exported, load_exported


class Gaussian(torch.nn.Module):
    """The score of white noise with variance 1 + sigma^2."""

    def __init__(self) -> None:
        super().__init__()
        self.one = torch.nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor, sigma: torch.Tensor) -> torch.Tensor:
        return -x / (self.one + sigma[:, None, None, None] ** 2)


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("exported") / "score.pt2"
    rows, columns = torch.export.Dim("rows", min=4, max=1024), torch.export.Dim("columns", min=4, max=1024)
    example = (torch.zeros(1, 1, 16, 24), torch.ones(1))
    shapes = ({2: rows, 3: columns}, None)
    torch.export.save(torch.export.export(Gaussian(), example, dynamic_shapes=shapes), path)
    return path


@pytest.mark.slow
def test_it_gives_scores_of_real_and_complex_images_of_any_size(program):
    assert is_exported(program)
    assert not is_exported("flf-tc")
    score = load_exported(program)
    image = torch.randn(3, 20, 18, dtype=torch.complex64)
    assert torch.allclose(score.score(image, 2.0), -image / 5)
    assert score.parameter_count == 1


def changed(program: Path, member: str, content: bytes | None = None, old: str = "", new: str = "") -> bytes:
    """The archive with one member replaced, or with a text in it replaced."""
    into = io.BytesIO()
    with zipfile.ZipFile(program) as archive, zipfile.ZipFile(into, "w") as copy:
        for one in archive.infolist():
            data = archive.read(one)
            if one.filename.endswith(member):
                data = data.decode().replace(old, new).encode() if content is None else content
            copy.writestr(one.filename, data)
        if not any(one.filename.endswith(member) for one in archive.infolist()):
            copy.writestr(f"score/{member}", content or b"")
    return into.getvalue()


def test_what_could_run_code_is_refused(program):
    check_archive(program.read_bytes(), "score")
    dangers = {
        "a function of torch": changed(program, "model.json", old="torch.ops.aten.div.Tensor", new="torch.hub.load"),
        "an operator": changed(program, "model.json", old="torch.ops.aten.div.Tensor", new="_operator.methodcaller"),
        "a size that is code": changed(program, "model.json", old="integer=True", new="integer=__import__('os')"),
        "a pickle": changed(program, "weights_config.json", old='"use_pickle": false', new='"use_pickle": true'),
        "a library": changed(program, "data/aotinductor/model/wrapper.so", b"\x7fELF"),
        "an object": changed(program, "data/constants/custom_obj_0", b"x"),
        "another path": changed(program, "weights_config.json", old="weight_0", new="opaque_obj_0"),
    }
    for name, content in dangers.items():
        with pytest.raises(InputError):
            check_archive(content, name)


def test_damaged_programs_are_one_sentence(program, tmp_path):
    content = program.read_bytes()
    for name, text in {"cut": content[:200], "empty": b"", "text": b"hello", "json": json.dumps({}).encode()}.items():
        path = tmp_path / f"{name}.pt2"
        path.write_bytes(text)
        with pytest.raises(InputError) as told:
            load_exported(path)
        assert "\n" not in str(told.value)
