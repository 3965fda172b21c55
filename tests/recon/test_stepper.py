from __future__ import annotations

import pytest
import torch

from napari_pogmdm.recon.classical.joint_tv import JointTvSettings
from napari_pogmdm.recon.method import CLASSICAL
from napari_pogmdm.recon.methods import make_stepper
from napari_pogmdm.recon.stepper import Estimate, run


def test_stepping_by_hand_equals_a_run(measurement):
    stepper = make_stepper(measurement, "joint-tv", JointTvSettings(steps=4))
    state = stepper.start()
    for _ in range(4):
        state = stepper.step(state)
    ran, steps = run(make_stepper(measurement, "joint-tv", JointTvSettings(steps=4)))
    assert steps == 4
    assert torch.equal(stepper.estimate(state).image, stepper.estimate(ran).image)


@pytest.mark.slow
def test_a_step_leaves_the_state_before_it_alone(measurement):
    for method in CLASSICAL:
        stepper = make_stepper(measurement, method)
        first = stepper.step(stepper.start())
        before = stepper.estimate(first).image.clone()
        stepper.step(first)
        assert torch.equal(stepper.estimate(first).image, before)


class Counter:
    """A method that counts its steps."""

    steps = 5

    def start(self) -> int:
        return 0

    def step(self, state: int) -> int:
        return state + 1

    def estimate(self, state: int) -> Estimate:
        return Estimate(torch.full((2, 3), -float(state)))


def test_a_run_tells_its_progress_and_stops_when_asked():
    told: list[tuple[int, int]] = []
    assert run(Counter(), lambda done, steps: told.append((done, steps))) == (5, 5)
    assert told == [(step, 5) for step in range(1, 6)]
    assert run(Counter(), None, lambda: True) == (0, 0)
    calls = iter([False, False, True])
    assert run(Counter(), None, lambda: next(calls)) == (2, 2)


def test_the_magnitude_of_an_estimate_counts_the_intensity_of_its_coils():
    assert torch.equal(Counter().estimate(2).magnitude, torch.full((2, 3), 2.0))
    coils = torch.full((4, 2, 3), 3j, dtype=torch.complex64)
    assert torch.equal(
        Estimate(torch.full((2, 3), 2j, dtype=torch.complex64), coils).magnitude, torch.full((2, 3), 12.0)
    )
