from __future__ import annotations

import threading
import time

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.gui.background import runner as runner_module
from napari_pogmdm.gui.background.runner import Runner
from napari_pogmdm.runs.repeat import changes_of
from napari_pogmdm.runs.status import Phase
from runs.test_run import assert_same, headless

LONG = 10_000


@pytest.mark.parametrize("chains", [1, 2])
def test_a_run_in_the_background_has_the_bits_of_a_headless_one(listener, request_of, chains):
    request = request_of(chains=chains, seed=3)
    listener.runner.start(request, Phase.RUNNING)
    listener.until_phase(Phase.FINISHED)
    assert_same(listener.result, headless(request))


def test_the_status_says_what_the_data_chose(listener, request_of):
    listener.runner.start(request_of(), Phase.PAUSED)
    told = listener.until_phase(Phase.PAUSED).status.choices
    assert len(told) == 1
    assert told[0].startswith("one map set; ")
    listener.runner.start(request_of(choose="none"), Phase.RUNNING)
    listener.until_phase(Phase.FINISHED)
    assert listener.status.choices == ()
    assert listener.result.choices == {}


def test_the_end_comes_with_its_picture_and_its_result(listener, request_of):
    listener.runner.wanted = frozenset({"image", "mean", "deviation"})
    listener.runner.start(request_of(chains=2, algorithm="posterior"), Phase.RUNNING)
    last = listener.until_phase(Phase.FINISHED)
    assert last.result is not None
    assert last.frame is not None
    assert last.frame.point.iteration == 4
    np.testing.assert_allclose(last.frame.arrays["mean"], last.result.image, rtol=1e-5)
    np.testing.assert_allclose(last.frame.arrays["deviation"] ** 2, last.result.variance, rtol=1e-3, atol=1e-12)


def test_the_figures_of_every_chain_are_those_of_whole_iterations(listener, request_of):
    listener.runner.start(request_of(chains=3), Phase.RUNNING)
    listener.until_phase(Phase.FINISHED)
    points = [point for update in listener.heard for point in update.points]
    assert [point.chain for point in points if point.iteration == 4] == [0, 1, 2]
    assert {point.substep for point in points} == {0}


def test_a_run_is_stepped_paused_and_resumed_to_the_same_bits(listener, request_of):
    request, runner = request_of(iterations=8), listener.runner
    runner.start(request, Phase.PAUSED)
    listener.until_phase(Phase.PAUSED)
    runner.step(whole_iteration=False)
    listener.until(lambda: listener.status.substep == 1)
    runner.step(whole_iteration=True)
    listener.until(lambda: (listener.status.iteration, listener.status.substep) == (1, 0))
    runner.play(pause_seconds=60.0)
    listener.until(lambda: listener.status.iteration == 2)
    runner.pause()
    assert listener.until_phase(Phase.PAUSED).status.iteration == 2
    runner.run()
    listener.until_phase(Phase.FINISHED)
    assert_same(listener.result, headless(request))


def test_playing_stops_at_the_end_of_a_chain(listener, request_of):
    listener.runner.start(request_of(chains=2), Phase.PLAYING)
    status = listener.until_phase(Phase.PAUSED).status
    assert (status.chain, status.iteration) == (0, 4)
    listener.runner.play()
    listener.until_phase(Phase.FINISHED)
    assert listener.status.chain == 1


def test_settings_change_while_it_runs_and_the_record_repeats_it(listener, request_of, monkeypatch):
    request, runner = request_of(iterations=6), listener.runner
    reached, changed, usual = threading.Event(), threading.Event(), runner_module.Run.substep

    def wait_after_two(run, *args, **kwargs):
        if run.state.iteration >= 2:
            reached.set()
            assert changed.wait(10)
        usual(run, *args, **kwargs)

    monkeypatch.setattr(runner_module.Run, "substep", wait_after_two)
    runner.start(request, Phase.RUNNING)
    assert reached.wait(10)
    runner.change("prior_weight", 0.3)
    changed.set()
    listener.until_phase(Phase.FINISHED)
    record = listener.result.record
    assert [change["name"] for change in record.changes] == ["prior_weight"]
    assert record.changes[0]["iteration"] >= 2
    assert_same(listener.result, headless(request, changes_of(record)))


def test_a_setting_that_cannot_change_is_one_sentence_and_the_run_goes_on(listener, request_of):
    listener.runner.start(request_of(iterations=LONG), Phase.RUNNING)
    listener.until_phase(Phase.RUNNING)
    listener.runner.change("iterations", 7)
    listener.until(lambda: listener.status and listener.notices)
    assert listener.notices == ["iterations: cannot change while a run is under way; start a new run."]
    assert listener.status.phase is Phase.RUNNING


def test_a_step_can_be_cancelled(listener, request_of, monkeypatch):
    listener.runner.start(request_of(), Phase.PAUSED)
    listener.until_phase(Phase.PAUSED)
    begun = threading.Event()

    def slow(run, keep=True):
        begun.set()
        while not listener.runner._cancel.is_set():
            time.sleep(0.001)
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(runner_module.Run, "substep", slow)
        listener.runner.step(whole_iteration=True)
        assert begun.wait(10)
        assert listener.status.phase.busy
        listener.runner.cancel()
        listener.until_phase(Phase.STOPPED)


def test_going_back_shows_kept_states_and_a_fork_keeps_the_old_picture(listener, request_of):
    runner = listener.runner
    runner.start(request_of(), Phase.RUNNING)
    finished = listener.until_phase(Phase.FINISHED)
    assert finished.status.shown == len(finished.status.kept) - 1 == 4
    runner.go_to(2)
    listener.until(lambda: listener.status.shown == 2)
    assert listener.status.behind
    assert listener.status.phase is Phase.PAUSED
    assert listener.frames[-1].point.iteration == 2
    runner.go_by(1)
    listener.until(lambda: listener.status.shown == 3)
    runner.go_by(-2)
    listener.until(lambda: listener.status.shown == 1)
    runner.change("prior_weight", 0.1)
    runner.run()
    again = listener.until_phase(Phase.FINISHED)
    kept = next(frame.arrays["before fork"] for frame in listener.frames if "before fork" in frame.arrays)
    np.testing.assert_allclose(kept, finished.result.image, rtol=1e-5)
    assert any(update.forked == (0, 1, 0) for update in listener.heard)
    assert not np.array_equal(again.result.image, finished.result.image)


def test_cancel_keeps_what_there_is_and_the_run_can_go_on(listener, request_of):
    runner = listener.runner
    runner.start(request_of(iterations=LONG), Phase.RUNNING)
    listener.until(lambda: listener.status.iteration >= 1)
    runner.cancel()
    assert runner.take().status.phase in {Phase.CANCELLING, Phase.STOPPED}
    listener.until_phase(Phase.STOPPED)
    assert listener.result.record.stopped
    assert listener.result.record.steps == listener.status.iteration < LONG
    before = listener.status.iteration
    runner.step(whole_iteration=True)
    listener.until(lambda: listener.status.iteration == before + 1)


def test_cancel_during_preparation_returns_to_idle(listener, request_of, monkeypatch):
    begun = threading.Event()

    def slow(measurement, name, cancelled):
        begun.set()
        while not cancelled():
            time.sleep(0.001)
        raise Cancelled

    monkeypatch.setattr("napari_pogmdm.recon.sampler.algorithms.base.starting_coils", slow)
    listener.runner.start(request_of(), Phase.RUNNING)
    assert begun.wait(10)
    assert listener.status.phase is Phase.PREPARING
    listener.runner.cancel()
    listener.until_phase(Phase.IDLE)
    assert not listener.notices


def test_cancel_reaches_into_a_long_substep(listener, request_of):
    request = request_of(conjugate_gradients=1000, iterations=LONG)
    listener.runner.start(request, Phase.RUNNING)
    listener.until(lambda: listener.status.phase is Phase.RUNNING)
    listener.runner.cancel()
    listener.until_phase(Phase.STOPPED)
    assert listener.status.iteration < LONG


def test_a_cancel_that_comes_too_late_does_not_spoil_the_next_run(listener, request_of):
    runner = listener.runner
    runner.start(request_of(), Phase.RUNNING)
    listener.until_phase(Phase.FINISHED)
    runner.cancel()
    runner.start(request_of(), Phase.RUNNING)
    listener.until(lambda: listener.status.phase is Phase.FINISHED and len(listener.heard) > 1)
    assert not listener.notices


def test_a_second_start_during_a_run_is_refused_in_one_sentence(listener, request_of):
    listener.runner.start(request_of(iterations=LONG), Phase.RUNNING)
    listener.until(lambda: listener.status.phase is Phase.RUNNING)
    listener.runner.start(request_of(), Phase.RUNNING)
    listener.until(lambda: listener.status and listener.notices)
    assert listener.notices == ["sampler: a run is under way; pause or cancel it first."]
    assert listener.status.phase is Phase.RUNNING


def test_the_mailbox_keeps_only_the_newest_picture_but_every_notice(listener, request_of):
    runner = listener.runner
    runner.start(request_of(), Phase.PAUSED)
    listener.until_phase(Phase.PAUSED)
    for _ in range(3):
        runner.step(whole_iteration=True)
        runner.change("iterations", 9)
    time_out = time.monotonic() + 30
    while not (waiting := runner._mail._box.peek()) or waiting.status.iteration < 3 or len(waiting.notices) < 3:
        assert time.monotonic() < time_out
        time.sleep(0.002)
    mail = runner.take()
    assert mail.frame.point.iteration == 3
    assert [point.iteration for point in mail.points] == [1, 2, 3]
    assert len(mail.notices) == 3
    assert runner.take().frame is None


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), "error", "failed unexpectedly (RuntimeError"),
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate"), "memory", "the memory is full"),
        (MemoryError(), "memory", "the memory is full"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), "memory", "the memory is full"),
    ],
)
def test_an_error_of_torch_is_one_sentence_and_the_thread_lives_on(
    listener, request_of, monkeypatch, error, kind, words
):
    request = request_of()

    def broken(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(type(request.prior), "denoise", broken)
        listener.runner.start(request, Phase.RUNNING)
        listener.until_phase(Phase.STOPPED)
    notices = [notice for update in listener.heard for notice in update.notices]
    assert [notice.kind for notice in notices] == [kind]
    assert words in notices[0].text
    assert "\n" not in notices[0].text
    listener.runner.run()
    listener.until_phase(Phase.FINISHED)


def test_numbers_that_are_none_stop_the_run_at_its_last_good_state(listener, request_of, monkeypatch):
    request = request_of()
    with monkeypatch.context() as patch:
        patch.setattr(type(request.prior), "denoise", lambda prior, image, level: image * torch.nan)
        listener.runner.start(request, Phase.RUNNING)
        listener.until_phase(Phase.STOPPED)
    assert len(listener.notices) == 1
    assert "diverged in iteration 1" in listener.notices[0]
    assert listener.result.record.stopped
    assert np.isfinite(listener.frames[-1].arrays["image"]).all()


def test_trouble_while_settling_does_not_end_the_thread(listener, request_of, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(runner_module.Run, "result", lambda *_, **__: 1 / 0)
        listener.runner.start(request_of(iterations=LONG), Phase.RUNNING)
        listener.until(lambda: listener.status.phase is Phase.RUNNING)
        listener.runner.cancel()
        listener.until(lambda: listener.status and listener.notices)
    assert listener.runner.alive
    assert listener.until_phase(Phase.STOPPED)


def test_reset_forgets_the_run(listener, request_of):
    listener.runner.start(request_of(), Phase.RUNNING)
    listener.until_phase(Phase.FINISHED)
    listener.runner.reset()
    last = listener.until_phase(Phase.IDLE)
    assert last.restarted
    assert last.status.kept == ()
    listener.runner.step(whole_iteration=True)
    assert listener.status.phase is Phase.IDLE


def test_closing_ends_the_thread_in_the_middle_of_a_run(request_of):
    runner = Runner()
    runner.start(request_of(iterations=LONG), Phase.RUNNING)
    runner.close()
    assert not runner.alive


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), MemoryError(), GeneratorExit()], ids=repr)
def test_whatever_a_step_raises_the_runner_is_free_again(listener, request_of, monkeypatch, error):
    def fail(self, *arguments, **named):
        raise error

    monkeypatch.setattr(runner_module.Run, "substep", fail)
    listener.runner.start(request_of(), Phase.RUNNING)
    told = listener.until_phase(Phase.STOPPED)
    assert not told.status.phase.busy
    assert listener.runner.alive
    monkeypatch.undo()
    listener.runner.reset()
    listener.runner.start(request_of(), Phase.RUNNING)
    listener.until_phase(Phase.FINISHED)
