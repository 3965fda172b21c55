"""BART as a program beside ours."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation import peers
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics

FAKE_BART = """#!{python}
import sys
from pathlib import Path
import numpy as np

command, *rest = sys.argv[1:]
if command == "ecalib":
    sys.exit("\\x1b[31mno calibration today\\x1b[0m")
sizes = [int(size) for size in Path("kspace.hdr").read_text().splitlines()[1].split()]
kspace = np.fromfile("kspace.cfl", np.complex64).reshape(sizes[3], sizes[1], sizes[0])
images = np.fft.fftshift(np.fft.ifft2(np.fft.ifftshift(kspace, axes=(1, 2)), norm="ortho"), axes=(1, 2))
image = np.sqrt((np.abs(images) ** 2).sum(axis=0)).astype(np.complex64)
Path("image.hdr").write_text("# Dimensions\\n" + " ".join(map(str, [sizes[0], sizes[1]] + [1] * 14)) + "\\n")
image.tofile("image.cfl")
"""


@pytest.mark.slow
def test_bart_is_called_as_a_program_through_files(small_scan, tmp_path: Path, monkeypatch):
    """A stand-in on the path answers with the zero-filled image, if it finds the data where BART would."""
    program = tmp_path / "bart"
    program.write_text(FAKE_BART.replace("{python}", sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.25))
    reference = reference_image(small_scan)
    assert reference is not None
    answered = peers.run_peer("bart-nlinv", measurement, reference).metrics.psnr
    assert answered == pytest.approx(metrics(reference, reconstruct(measurement, "zero-filled").image).psnr, abs=1.5)
    with pytest.raises(InputError, match=r"bart ecalib: failed \(no calibration today\)"):
        peers.run_peer("bart-tv", measurement, reference)
