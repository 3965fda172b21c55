from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.runs.repeat import changes_of, stop_of
from napari_pogmdm.runs.run import Run


def to_the_end(run: Run) -> Run:
    while not run.finished:
        run.substep()
    return run


def headless(request, changes=()):
    return reconstruct(
        request.measurement,
        model=request.prior,
        preset=request.settings,
        chains=request.chains,
        seed=request.seed,
        changes=changes,
    )


def assert_same(result, expected):
    np.testing.assert_array_equal(result.image, expected.image)
    np.testing.assert_array_equal(result.coils, expected.coils)
    if expected.variance is None:
        assert result.variance is None
    else:
        np.testing.assert_array_equal(result.variance, expected.variance)
    assert result.record.changes == expected.record.changes
    assert result.record.sampler == expected.record.sampler
    assert result.record.steps == expected.record.steps


@pytest.mark.parametrize("chains", [1, 3])
def test_a_stepped_run_has_the_bits_of_a_headless_one(request_of, chains):
    request = request_of(chains=chains, seed=5)
    assert_same(to_the_end(Run(request)).result(stopped=False), headless(request))


def test_the_papers_algorithm_steps_to_the_same_bits(request_of):
    request = request_of(
        algorithm="predictor-corrector", iterations=20, start_time=0.2, largest_noise=10.0, smallest_noise=0.001
    )
    assert_same(to_the_end(Run(request)).result(stopped=False), headless(request))


def test_a_change_is_noted_with_the_substep_it_holds_from_and_repeats(request_of):
    request = request_of(chains=2)
    run = Run(request)
    run.step()
    run.substep()
    run.change("prior_weight", 0.3)
    run.substep()
    run.change("coil_step", 0.5)
    to_the_end(run)
    result = run.result(stopped=False)
    assert [(one.moment, one.name) for one in run.changes] == [((0, 1, 1), "prior_weight"), ((0, 1, 2), "coil_step")]
    assert_same(result, headless(request, changes_of(result.record)))
    assert not np.array_equal(result.image, headless(request).image)


def test_a_change_that_is_taken_back_before_the_next_substep_leaves_no_trace(request_of):
    run = Run(request_of())
    run.change("prior_weight", 0.3)
    run.change("prior_weight", run.request.settings.prior_weight)
    run.substep()
    assert run.changes == []


def test_only_live_settings_change(request_of):
    run = Run(request_of())
    with pytest.raises(InputError, match="iterations"):
        run.change("iterations", 9)
    with pytest.raises(InputError, match="prior_weight"):
        run.change("prior_weight", -1.0)
    to_the_end(run)
    assert run.changes == []


def test_looking_back_forgets_nothing_until_the_run_goes_on(request_of):
    request = request_of()
    run = Run(request)
    run.step()
    run.change("prior_weight", 0.2)
    to_the_end(run)
    states, last = len(run.history), run.state
    run.go_to(1)
    assert run.behind
    assert len(run.history) == states
    run.go_to(states - 1)
    assert run.state is last
    assert run.finished
    result = run.result(stopped=False)
    assert_same(result, headless(request, changes_of(result.record)))


def test_a_fork_goes_on_from_the_shown_state_with_the_settings_of_now(request_of):
    request = request_of()
    run = to_the_end(Run(request))
    first = run.result(stopped=False)
    run.go_to(4)
    moment = (run.state.iteration, run.state.substep)
    assert not run.forks
    run.change("prior_weight", 0.2)
    assert run.forks
    to_the_end(run)
    result = run.result(stopped=False)
    assert [(one.iteration, one.substep, one.value) for one in run.changes] == [(*moment, 0.2)]
    assert_same(result, headless(request, changes_of(result.record)))
    assert not np.array_equal(result.image, first.image)


def test_going_on_from_an_earlier_state_unchanged_leads_to_the_same_bits(request_of):
    run = to_the_end(Run(request_of(chains=2)))
    first = run.result(stopped=False)
    run.go_to(2)
    to_the_end(run)
    assert_same(run.result(stopped=False), first)


def test_a_stopped_run_keeps_what_it_has(request_of):
    run = Run(request_of(chains=2))
    run.step()
    result = run.result(stopped=True)
    assert result.record.stopped
    assert result.record.steps == 1
    assert result.variance is None
    while run.chain == 0:
        run.substep()
    later = run.result(stopped=True).record
    assert (later.sampler["chains"], later.steps) == (1, 4)


def test_a_run_that_is_stopped_in_an_iteration_repeats_as_it_was_before_it(request_of):
    request = request_of()
    run = Run(request)
    run.step()
    run.change("prior_weight", 0.3)
    run.step()
    run.change("prior_weight", 0.2)
    run.substep()
    run.settle()
    result = run.result(stopped=True)
    assert (result.record.steps, run.state.substep, run.behind) == (2, 0, False)
    assert [one.value for one in run.changes] == [0.3]
    expected = reconstruct(
        request.measurement,
        model=request.prior,
        preset=request.settings,
        changes=changes_of(result.record),
        stop_after=stop_of(result.record, request.settings),
    )
    np.testing.assert_array_equal(result.image, expected.image)
    np.testing.assert_array_equal(result.coils, expected.coils)
    to_the_end(run)
    assert [one.value for one in run.changes] == [0.3, 0.2]
