from __future__ import annotations

from types import SimpleNamespace


def test_keys_and_wheel_go_from_slice_to_slice_and_stop_at_the_ends(small, until):
    slices = small.hands.slices
    assert small.session.slice_index == 1
    slices.after()
    assert small.session.loading == ""
    slices.before()
    slices.before()
    until(lambda: small.session.slice_index == 0)
    wheel = SimpleNamespace(modifiers=("Shift",), delta=(0.0, -1.0))
    slices.wheel(small.viewer, wheel)
    until(lambda: small.session.slice_index == 1)
    slices.wheel(small.viewer, SimpleNamespace(modifiers=(), delta=(0.0, 1.0)))
    assert small.session.loading == ""


def test_nothing_happens_without_a_scan(workbench):
    workbench.hands.slices.after()
    assert workbench.session.loading == ""
