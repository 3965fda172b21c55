"""Small files in the fastMRI layout, written by the tests themselves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from napari_pogmdm.data.acquisition import Acquisition, Header
from napari_pogmdm.data.header import write_header
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.runs.display import DisplayGeometry, geometry_of
from napari_pogmdm.runs.make_recording import make_recording, recorder_for
from napari_pogmdm.runs.recording import Recording

torch.set_num_threads(1)  # the tests' images are too small for more

HEADER = Header(
    encoded_matrix=(48, 40),
    recon_matrix=(24, 32),
    encoded_field_of_view_mm=(280.0, 162.8),
    recon_field_of_view_mm=(140.0, 140.0),
    phase_centre=18,
    phase_last=35,
    field_strength_tesla=2.8936,
)


@pytest.fixture(autouse=True)
def _one_torch_thread() -> Iterator[None]:
    """Leave the next test one thread, whatever this one asked for."""
    yield
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def small_scan() -> Acquisition:
    """One slice of 4 coils, 48 x 40, with a little noise."""
    return simulate_scan(shepp_logan((48, 40)), coils=4, noise=0.005, seed=3)


@pytest.fixture
def fastmri_file(tmp_path: Path, small_scan: Acquisition) -> Callable[..., Path]:
    """Write a valid multi-coil file of two slices; keyword arguments replace or (``None``) remove entries."""

    def write(name: str = "file1000000.h5", **changes: object) -> Path:
        path = tmp_path / name
        kspace = np.stack([small_scan.kspace, 2 * small_scan.kspace])
        axes = (-2, -1)
        images = np.fft.fftshift(np.fft.ifftn(np.fft.ifftshift(kspace, axes=axes), axes=axes, norm="ortho"), axes=axes)
        rss = np.sqrt((np.abs(images) ** 2).sum(axis=1))[:, 12:36, 4:36].astype(np.float32)
        content: dict[str, object] = {
            "kspace": kspace,
            "reconstruction_rss": rss,
            "ismrmrd_header": write_header(HEADER),
        }
        content.update(changes)
        with h5py.File(path, "w") as file:
            file.attrs["acquisition"] = "CORPD_FBK"
            for key, value in content.items():
                if value is None:
                    continue
                if isinstance(value, np.ndarray) and value.ndim > 1 and value.size:
                    file.create_dataset(key, data=value, chunks=(1, *value.shape[1:]), fletcher32=True)
                else:
                    file.create_dataset(key, data=value)
        return path

    return write


@pytest.fixture(scope="session")
def request_of(small_scan) -> Callable[..., RunRequest]:
    """Ask for a run of four quick iterations; keyword arguments replace fields of the request or of its settings."""
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.3))
    prior = load_prior("flf-tc")
    usual = replace(preset("default"), iterations=4, injected_noise=0.5)

    def make(chains: int = 1, seed: int = 0, **values: object) -> RunRequest:
        settings = replace(usual, **values)
        return RunRequest(measurement, prior, settings, chains, seed, reference_image(small_scan))

    return make


@pytest.fixture(scope="session")
def recorded_request(request_of) -> RunRequest:
    """Two chains of six quick iterations, to be recorded."""
    return request_of(chains=2, seed=5, iterations=6, coil_start="low-pass")


@pytest.fixture(scope="session")
def recorded_geometry(small_scan) -> DisplayGeometry:
    """How the images of that run lie in the window."""
    return geometry_of(small_scan, reference_image(small_scan))


@pytest.fixture(scope="session")
def short_recording(recorded_request, recorded_geometry) -> Recording:
    """A recording of that run, a frame every second iteration."""
    recorder = recorder_for(recorded_request, recorded_geometry, limit=10**6, coils_every=2)
    make_recording(recorded_request, recorder, every=2)
    return recorder.recording("run")


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A dask scheduler and two worker processes on the loopback address; gives the scheduler's address."""
    distributed = pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("dask")
    file = str(folder / "scheduler.json")
    here = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", file)
    surroundings = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(Path(__file__).parent), os.environ.get("PYTHONPATH", ""))),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    }

    def start(program: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *here, *arguments]
        return subprocess.Popen(
            command, env=surroundings, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True
        )

    processes = [start("scheduler", "--port", "0")]
    try:
        processes += [start("worker", "--nthreads", "1", "--memory-limit", "0", "--name", name) for name in "ab"]
        with distributed.Client(scheduler_file=file, timeout=300, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=300)
            address = client.scheduler.address
            yield address
            client.shutdown()
    finally:
        for process in reversed(processes):
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            with suppress(ProcessLookupError):  # with the processes that it started
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
