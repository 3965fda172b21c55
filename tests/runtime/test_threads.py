"""Work beside torch's own, on torch's own threads."""

from __future__ import annotations

import ast
import hashlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

import napari_pogmdm as pg
from napari_pogmdm.physics.encoding.nufft import has_nufft
from napari_pogmdm.recon.sampler.choices.choose import forget
from napari_pogmdm.runtime import threads
from napari_pogmdm.runtime.pace import Pace
from napari_pogmdm.runtime.threads import fixed_blocks, rest, side_by_side, thread_count

SHAPE = (181, 197)  # odd, and large enough for torch to use several threads on an image


class Steady(Pace):
    """Uses several threads, or one, whatever else the machine does."""

    def __init__(self, several: bool) -> None:
        super().__init__()
        self.several = lambda: several  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def _always_several(monkeypatch):
    monkeypatch.setattr(threads, "_PACE", Steady(True))


@pytest.fixture(params=["torch's threads", "a pool"])
def _runtime(request, monkeypatch):
    if request.param == "a pool":
        monkeypatch.setattr(threads, "_openmp", lambda: None)
    elif threads._openmp() is None:
        pytest.skip("torch has no GNU OpenMP here")


@pytest.mark.usefixtures("_runtime")
@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_job_is_done_once(count):
    done: list[int] = []
    side_by_side([lambda number=number: done.append(number) for number in range(11)], count)
    assert sorted(done) == list(range(11))


@pytest.mark.usefixtures("_runtime")
def test_jobs_that_let_go_of_the_interpreter_run_at_the_same_time():
    met = threading.Barrier(2, timeout=20)
    side_by_side([met.wait, met.wait], 2)
    assert not met.broken


@pytest.mark.usefixtures("_runtime")
def test_a_failure_is_raised_and_the_others_are_still_done():
    done: list[int] = []

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        side_by_side([fail, lambda: done.append(1), lambda: done.append(2)], 2)
    assert sorted(done) == [1, 2]
    side_by_side([lambda: done.append(3), lambda: done.append(4)], 2)
    assert sorted(done) == [1, 2, 3, 4]


@pytest.mark.usefixtures("_runtime")
def test_several_threads_may_do_so_at_once_and_rest():
    totals: list[int] = []

    def work() -> None:
        done: list[int] = []
        for _ in range(20):
            side_by_side([lambda: done.append(1)] * 4, 2)
            torch.ones(100_000).sum()
            rest()
        totals.append(len(done))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert totals == [80] * 4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_is_never_lost():
    """Interrupts arrive while compiled work begins and ends, also before anything in there can catch them."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    heard = 0
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for turn in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-4 + 1e-6 * turn)
                for _ in range(10_000):
                    side_by_side([bool] * 2, 2)
            except KeyboardInterrupt:
                heard += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard == 200


def test_torch_has_one_thread_inside_and_as_many_as_before_afterwards():
    torch.set_num_threads(3)

    @fixed_blocks()
    def inside() -> tuple[int, int]:
        with fixed_blocks():
            return torch.get_num_threads(), thread_count()

    assert inside() == (1, 3)
    with pytest.raises(ValueError, match="no"), fixed_blocks():
        raise ValueError("no")
    assert torch.get_num_threads() == thread_count() == 3
    found: list[int] = []
    with fixed_blocks():
        other = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
        other.start()
        other.join()
    assert found == [3]  # threads that begin in the meantime are not affected


def test_a_busy_machine_gets_one_thread(monkeypatch):
    monkeypatch.setattr(threads, "_PACE", Steady(False))
    came: set[int] = set()
    side_by_side([lambda: came.add(threading.get_ident())] * 8, 4)
    assert came == {threading.get_ident()}


SHORT = {"choose": "none", "stop_after": 2, "conjugate_gradients": 2}
RUNS = {
    "choices": {"preset": "fast", "stop_after": 1},
    "splitting": SHORT,
    "two map sets": SHORT | {"map_sets": 2, "stop_after": 1},
    "newton": SHORT | {"coil_start": "newton", "stop_after": 1},
    "calibrated": SHORT | {"coil_start": "calibrated", "stop_after": 1},
    "shearlets": SHORT | {"model": "sh-1"},
    "algorithm 1": {"preset": "paper", "stop_after": 2},
    "posterior": SHORT | {"preset": "posterior", "warm_start": False},
    "cg-sense": {"method": "cg-sense", "steps": 2},
    "tv": {"method": "tv", "steps": 2},
    "joint-tv": {"method": "joint-tv", "steps": 2},
    "zero-filled": {"method": "zero-filled"},
}


def all_bits() -> dict[str, str]:
    """Reconstruct a little of everything, from the mask on, and name the bits of each image and its coils."""
    forget()
    scan = pg.phantom_scan(SHAPE, coils=6)[0]
    measurement = pg.measure(scan, pg.make_mask("cartesian", SHAPE, 4, 0.08), coils=4)
    found = {}
    for name, options in RUNS.items():
        made = pg.reconstruct(measurement, **options)
        found[name] = hashlib.sha256(made.image.tobytes() + made.coils.tobytes()).hexdigest()
    return found


@pytest.mark.slow
def test_bits_do_not_depend_on_the_number_of_threads():
    """Nor on whether torch or the environment says how many."""
    wanted = all_bits()
    torch.set_num_threads(3)
    assert all_bits() == wanted
    program = "import sys; sys.path.insert(0, sys.argv[1]); from test_threads import all_bits; print(all_bits())"
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    environment = os.environ | {"OMP_NUM_THREADS": "2"}
    told = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert ast.literal_eval(told.stdout) == wanted


@pytest.mark.slow
@pytest.mark.skipif(not has_nufft(), reason="needs finufft")
def test_nor_along_a_trajectory():
    scan = pg.phantom_scan(SHAPE, coils=3)[0]
    found = set()
    for count in (1, 3):
        torch.set_num_threads(count)
        measurement = pg.measure(scan, trajectory=pg.make_trajectory("radial", SHAPE, 20))
        made = pg.reconstruct(measurement, preset="fast", **SHORT)
        found.add(made.image.tobytes() + made.coils.tobytes())
    assert len(found) == 1
