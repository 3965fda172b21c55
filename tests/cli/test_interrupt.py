"""The first Ctrl-C asks, the second insists."""

from __future__ import annotations

import signal
import threading

import pytest

from napari_pogmdm.cli.interrupt import asking_to_stop


def test_the_first_interrupt_is_a_question_and_the_second_ends(capsys):
    before = signal.getsignal(signal.SIGINT)
    with asking_to_stop("Stopping.") as stop:
        assert not stop()
        signal.raise_signal(signal.SIGINT)
        assert stop()
        assert "Stopping. Press Ctrl-C again" in capsys.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_nothing_is_caught():
    answers = []

    def work() -> None:
        with asking_to_stop("Stopping.") as stop:
            answers.append(stop())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert answers == [False]
