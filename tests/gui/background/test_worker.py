from __future__ import annotations

import threading
import time

import pytest

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.gui.background.worker import Worker


@pytest.fixture
def told():
    return []


@pytest.fixture
def worker(told):
    worker = Worker("test", told.append)
    yield worker
    worker.close()
    assert not worker._thread.is_alive()


def deliver_until(worker, condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        worker.deliver()
        assert time.monotonic() < end
        time.sleep(0.001)


def test_results_are_handed_over_in_the_thread_that_asks(worker):
    threads = []
    worker.submit("a job", lambda cancelled: threading.get_ident(), threads.append)
    time.sleep(0.05)
    assert not threads
    deliver_until(worker, lambda: threads)
    assert threads[0] != threading.get_ident()


def test_a_newer_job_cancels_the_older_one_and_only_it_is_delivered(worker):
    begun, done = threading.Event(), []

    def endless(cancelled):
        begun.set()
        while not cancelled():
            time.sleep(0.001)
        raise Cancelled

    worker.submit("old", endless, done.append)
    assert begun.wait(10)
    for number in range(5):
        worker.submit("new", lambda cancelled, number=number: number, done.append)
    deliver_until(worker, lambda: done and not worker.busy)
    assert done == [4]


def test_cancel_is_idle_at_once_even_if_the_job_does_not_listen(worker):
    begun, may_end, done = threading.Event(), threading.Event(), []

    def deaf(cancelled):
        begun.set()
        may_end.wait(10)
        return 1

    worker.submit("deaf", deaf, done.append)
    assert begun.wait(10)
    assert worker.busy
    worker.cancel()
    assert not worker.busy
    may_end.set()
    worker.submit("next", lambda cancelled: 2, done.append)
    deliver_until(worker, lambda: done)
    assert done == [2]


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (InputError("file: is bad; choose another."), "error", "file: is bad; choose another."),
        (RuntimeError("first\nsecond"), "error", "a job: failed unexpectedly (RuntimeError: first)."),
        (MemoryError(), "memory", "a job: the memory is full"),
        (FileNotFoundError(2, "No such file or directory"), "error", "a job: No such file or directory; is the file"),
    ],
)
def test_errors_become_one_sentence(worker, told, error, kind, text):
    def broken(cancelled):
        raise error

    worker.submit("a job", broken, told.append)
    deliver_until(worker, lambda: told)
    assert told[0].kind == kind
    assert told[0].text.startswith(text)
    assert not worker.busy


def test_a_callback_that_fails_does_not_lose_the_jobs_behind_it(worker, told):
    def refuse(_):
        raise InputError("cannot be shown.")

    worker.submit("a job", lambda cancelled: 1, refuse)
    deliver_until(worker, lambda: told)
    assert told[0].text == "cannot be shown."


def test_the_parts_of_a_job_are_handed_over_one_by_one_until_it_is_overtaken(worker):
    may_go_on, done = threading.Event(), []

    def parts(cancelled):
        yield "first"
        assert may_go_on.wait(10)
        yield "second"
        yield "never"

    worker.submit("parts", parts, done.append)
    deliver_until(worker, lambda: done)
    assert done == ["first"]
    assert worker.busy
    worker.submit("other", lambda cancelled: "other", done.append)
    may_go_on.set()
    deliver_until(worker, lambda: "other" in done)
    assert done == ["first", "other"]
