"""What a bug report says about the computer."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest
import torch

from napari_pogmdm import __version__
from napari_pogmdm.cli.commands import doctor


def test_doctor_says_versions_device_threads_extras_and_folders(succeed) -> None:
    facts = json.loads(succeed("doctor", "--json"))
    assert facts["program"]["napari-pogmdm"] == __version__
    assert facts["computing"]["device"].startswith(("cpu", "cuda", "mps"))
    assert facts["extras"].keys() >= {"qt", "baselines", "nufft", "export"}
    assert "dev" not in facts["extras"]
    assert all("written" in folder for folder in facts["folders"].values())
    told = succeed("doctor")
    assert all(title in told for title in facts)


def test_a_missing_extra_is_named_with_its_package(succeed, monkeypatch) -> None:
    real = doctor.version

    def without(package: str) -> str:
        if package == "sigpy":
            raise PackageNotFoundError(package)
        return real(package)

    monkeypatch.setattr(doctor, "version", without)
    extras = json.loads(succeed("doctor", "--json"))["extras"]
    assert extras["baselines"] == "missing sigpy"
    assert extras["nufft"] != "missing sigpy"


def test_a_folder_that_cannot_be_written_is_told(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(doctor.os, "access", lambda place, mode: place != tmp_path)
    monkeypatch.chdir(tmp_path)
    assert doctor._folders()["current folder"] == f"{tmp_path} (cannot be written)"


def test_a_torch_that_multiplies_wrongly_is_told(succeed, monkeypatch) -> None:
    """As Debian's 2.6 does, whose complex inner products are 0."""
    assert json.loads(succeed("doctor", "--json"))["computing"]["inner products"] == "correct"
    monkeypatch.setattr(torch, "vdot", lambda first, second: torch.zeros((), dtype=first.dtype))
    assert json.loads(succeed("doctor", "--json"))["computing"]["inner products"].startswith("WRONG")


def test_python_dash_m_is_the_same_program() -> None:
    command = [sys.executable, "-m", "napari_pogmdm", "--version"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert told.strip() == f"napari-pogmdm {__version__}"


@pytest.mark.parametrize(("command", "code"), [("doctor", 0), ("reconstruct phantom", 2)])
def test_a_package_that_is_missing_is_told(command, code, tmp_path) -> None:
    program = (
        "import sys; sys.modules['torch'] = None; from napari_pogmdm.cli.main import main; "
        f"sys.argv = ['napari-pogmdm', *{command.split()!r}]; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "torch" in (done.stderr if code else done.stdout.partition("computing")[2].partition("folders")[0])
    assert "Traceback" not in done.stderr
