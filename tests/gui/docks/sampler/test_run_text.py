from __future__ import annotations

import pytest

from napari_pogmdm.gui.docks.sampler.run_text import choice_text, memory_text, position_text, progress_text, time_text
from napari_pogmdm.recon.sampler.choices.choices import INCONSISTENT
from napari_pogmdm.runs.status import Phase, Position, RunStatus

PLAN = ("denoise", "data", "coils")


def test_a_run_says_iteration_sigma_chain_and_time_left():
    status = RunStatus(Phase.RUNNING, 1, 3, 12, 40, PLAN, 0, 0.0713, seconds_left=95.0)
    assert progress_text(status) == "iteration 12 of 40, sigma 0.0713, chain 2 of 3, 1 min 35 s left"
    assert progress_text(RunStatus(Phase.PAUSED, 0, 1, 12, 40, PLAN, 0, 0.0713)) == (
        "iteration 12 of 40, sigma 0.0713, paused"
    )
    assert progress_text(RunStatus()) == "No run yet"
    assert "the next run starts again" in progress_text(status, outdated=True)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59.4, "59 s"), (60.0, "1 min 0 s"), (7325.0, "2 h 2 min")]
)
def test_durations_have_two_units_at_most(seconds, text):
    assert time_text(seconds) == text


def test_a_kept_state_is_named_by_the_substep_that_led_to_it():
    assert position_text(Position(0, 0), PLAN) == "start"
    assert position_text(Position(3, 0), PLAN) == "iteration 3, complete"
    assert position_text(Position(3, 2), PLAN) == "iteration 4, after data step"


def test_of_two_substeps_with_one_name_the_words_say_which():
    plan = ("predict", "data", "correct", "data", "coils")
    said = [position_text(Position(0, substep), plan) for substep in (1, 2, 4)]
    assert said == [
        "iteration 1, after predictor",
        "iteration 1, after first data step",
        "iteration 1, after second data step",
    ]


def test_progress_and_shown_state_count_iterations_in_one_way():
    for iteration, substep in ((0, 1), (7, 2), (8, 0)):
        status = RunStatus(Phase.PAUSED, 0, 1, iteration, 40, PLAN, substep, 0.1)
        counted = position_text(Position(iteration, substep), PLAN).partition(",")[0]
        assert progress_text(status).startswith(f"{counted} of 40")


def test_kept_states_say_what_they_cost():
    assert memory_text(RunStatus(kept=(Position(0, 0),), kept_bytes=3 * 2**20)) == "1 state, 3/512 MB"


def test_what_the_data_chose_is_said_without_its_evidence():
    chosen = "the field of view wraps: two map sets; calibrated coils (error on samples left out: usual 3)."
    assert choice_text(RunStatus()) == ""
    said = choice_text(RunStatus(choices=(chosen, INCONSISTENT)))
    assert said.startswith("These data do not fit"), "warnings come first, as there may be no room for all"
    assert said.endswith("shots? Chosen from the data: the field of view wraps: two map sets; calibrated coils.")
    assert "error on samples" not in said
