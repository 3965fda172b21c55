from __future__ import annotations

from napari_pogmdm.gui.background.mailbox import Mailbox


def test_what_is_newer_replaces_what_waits_and_is_taken_once():
    box = Mailbox[int]()
    assert box.take() is None
    box.put(1)
    box.put(2)
    assert box.peek() == 2
    assert box.take() == 2
    assert box.take() is None


def test_what_waits_can_be_added_to():
    box = Mailbox[tuple[int, ...]]()
    for number in range(3):
        box.update(lambda waiting, number=number: (*(waiting or ()), number))
    assert box.take() == (0, 1, 2)
