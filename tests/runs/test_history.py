from __future__ import annotations

from napari_pogmdm.runs.history import History
from napari_pogmdm.runs.run import Run


def to_the_end(run: Run) -> Run:
    while not run.finished:
        run.substep()
    return run


def test_history_stays_within_its_memory_and_keeps_both_ends(request_of):
    run = Run(request_of(iterations=30), history_budget=300_000)
    first = run.state
    to_the_end(run)
    assert run.history.memory <= 300_000
    assert 2 < len(run.history) < 30
    assert run.history.go_to(0) is first
    assert run.history.go_to(10**6) is run.state


def test_memory_counts_shared_tensors_once(request_of):
    run = Run(request_of())
    history = History()
    history.keep(run.state)
    once = history.memory
    history.keep(run.state)
    assert history.memory == once
    size = run.state.image.numel() * 8
    assert once >= size + run.state.coils.numel() * 8
