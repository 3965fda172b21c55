"""Running BART, the Berkeley Advanced Reconstruction Toolbox, for comparison.

Data travel through files in a temporary folder; nothing of BART is linked or copied.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from napari_pogmdm.arrays import ComplexImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.recon.measurement import Measurement

_DIMENSIONS = 16  # sizes in the header of a BART file
_WIDEST_CALIBRATION = 24  # samples a side: the default of BART's ecalib
_NARROWEST_CALIBRATION = 6  # samples a side: the kernel of BART's ecalib by default, which must fit in
_NEWTON_STEPS = 9  # of nlinv for maps, one more than its default; each halves the regularisation, so more let noise in
_COIL_BIT = "8"  # BART's mask of dimensions, 2^3: the fourth holds the coils


class Bart:
    """A temporary folder with a measurement in it, in which BART's commands are run."""

    def __init__(self, folder: Path, measurement: Measurement, threads: int | None) -> None:
        self._folder = folder
        self._program = shutil.which("bart") or "bart"
        ours = "GOMP_SPINCOUNT"  # BART shall have what suits it
        self._environment = {name: value for name, value in os.environ.items() if name != ours}
        if threads is not None:
            self._environment["OMP_NUM_THREADS"] = str(threads)
        self._calibration = measurement.sampling.centre
        self._made: set[str] = set()
        samples = measurement.kspace.cpu().numpy()
        if isinstance(measurement.sampling, Trajectory):
            self._write_trajectory(measurement.sampling)
            self._write("kspace", samples[:, :, None])
            self._write("gridded", measurement.gridded.cpu().numpy())
            self._along: tuple[str, ...] = ("-t", "trajectory")
            self._steps: tuple[str, ...] = ("-e",)  # the operator's largest eigenvalue is not 1 then
        else:
            self._write("kspace", samples)
            self._along, self._steps = (), ()

    @property
    def map_kinds(self) -> tuple[str, ...]:
        """Coil maps that can be had: nlinv's on the grid, ESPIRiT's from a large enough calibration region.

        Of samples along a trajectory, nlinv of this BART makes maps that fit no image; they are gridded for ESPIRiT.
        """
        if self._along:
            return ("espirit",)
        return ("espirit", "nlinv") if min(self._calibration) >= _NARROWEST_CALIBRATION else ("nlinv",)

    def total_variation(self, weight: float, maps: str) -> ComplexImage:
        """Reconstruct with coil maps of a kind and total variation (``pics -R T``)."""
        self._make_maps(maps)
        # BART's default ADMM penalty converges far too slowly for total variation; these do.
        effort = ("-u", "0.03", "-i", "50") if self._along else ("-u", "0.003", "-i", "100")
        self._run("pics", "-S", *self._along, *effort, "-R", f"T:3:0:{weight:g}", "kspace", maps, "image")
        return self._read("image")

    def wavelet(self, weight: float, maps: str) -> ComplexImage:
        """Reconstruct with coil maps of a kind and an l1 penalty on wavelet coefficients (``pics -R W``)."""
        self._make_maps(maps)
        along = (*self._along, *self._steps)
        self._run("pics", "-S", *along, "-i", "100", "-R", f"W:3:0:{weight:g}", "kspace", maps, "image")
        return self._read("image")

    def nonlinear_inversion(self, steps: int, sets: int = 1) -> ComplexImage:
        """Estimate image and coils together (``nlinv``), with so many Newton steps and sets of maps."""
        self._run("nlinv", *self._along, f"-i{steps}", f"-m{sets}", "kspace", "image")
        return self._read("image")

    def maps(self, kind: str) -> ComplexImage:
        """Coil maps (coils, rows, columns) of a kind."""
        self._make_maps(kind)
        return self._read(kind)

    def _make_maps(self, kind: str) -> None:
        if kind in self._made:
            return
        if kind == "espirit":
            width = max(min(*self._calibration, _WIDEST_CALIBRATION), _NARROWEST_CALIBRATION)
            self._run("ecalib", "-m1", "-c0", f"-r{width}", "gridded" if self._along else "kspace", kind)
        else:
            self._run("nlinv", *self._along, f"-i{_NEWTON_STEPS}", "kspace", "image", "raw-maps")
            self._run("normalize", _COIL_BIT, "raw-maps", kind)
        self._made.add(kind)

    def _run(self, *arguments: str) -> None:
        done = subprocess.run(  # noqa: S603 - a fixed program with arguments made here
            [self._program, *arguments],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            said = re.sub(r"\x1b\[[0-9;]*m", "", done.stderr or done.stdout).split("\n")
            reason = next((line.strip() for line in reversed(said) if line.strip()), "no reason given")
            raise InputError(f"bart {arguments[0]}: failed ({reason}).")

    def _write(self, name: str, array: ComplexImage) -> None:
        """Write (coils, rows, columns) in BART's order: columns fastest, coils as its fourth dimension.

        Samples along a trajectory are rows of one column.
        """
        coils, rows, columns = array.shape
        sizes = [columns, rows, 1, coils] + [1] * (_DIMENSIONS - 4)
        (self._folder / f"{name}.hdr").write_text("# Dimensions\n" + " ".join(map(str, sizes)) + "\n")
        np.ascontiguousarray(array, dtype=np.complex64).tofile(self._folder / f"{name}.cfl")

    def _write_trajectory(self, trajectory: Trajectory) -> None:
        """Write places in BART's order and units: (3, samples) along columns, rows and slices, in cycles a field."""
        rows, columns = trajectory.shape
        down, across = trajectory.positions.T
        places = np.stack((across * columns, down * rows, np.zeros_like(down)), axis=-1)
        sizes = [3, len(places)] + [1] * (_DIMENSIONS - 2)
        (self._folder / "trajectory.hdr").write_text("# Dimensions\n" + " ".join(map(str, sizes)) + "\n")
        places.astype(np.complex64).tofile(self._folder / "trajectory.cfl")

    def _read(self, name: str) -> ComplexImage:
        sizes = [int(size) for size in (self._folder / f"{name}.hdr").read_text().splitlines()[1].split()]
        flat = np.fromfile(self._folder / f"{name}.cfl", dtype=np.complex64)
        return flat.reshape(sizes[1], sizes[0]) if sizes[3] == 1 else flat.reshape(sizes[3], sizes[1], sizes[0])


@contextmanager
def bart_session(measurement: Measurement, threads: int | None = None) -> Iterator[Bart]:
    """Give a `Bart` for one measurement; its files vanish afterwards."""
    if shutil.which("bart") is None:
        raise InputError("bart: the program was not found; on Debian, apt-get install bart.")
    with tempfile.TemporaryDirectory(prefix="pogmdm-bart-") as folder:
        yield Bart(Path(folder), measurement, threads)
