from __future__ import annotations

import pytest

from napari_pogmdm.gui.layers.view import View, best_columns, usual_views


@pytest.mark.parametrize(
    ("count", "canvas", "columns"),
    [
        (1, (600, 900), 1),
        (2, (600, 900), 2),
        (2, (900, 300), 1),
        (4, (600, 900), 2),
        (8, (600, 870), 4),
        (3, (300, 900), 3),
    ],
)
def test_columns_let_panels_be_largest(count, canvas, columns):
    assert best_columns(count, canvas, (1.0, 1.0)) == columns


def test_pairs_stay_in_one_row():
    assert best_columns(9, (600, 870), (1.0, 1.0), step=2) % 2 == 0


def test_panels_stand_in_their_order_and_the_last_one_is_in_front():
    view = View("any", roles=("a", "b", "c"))
    for role in ("c", "a", "elsewhere"):
        view.choose(role)
    assert view.chosen == ["a", "c", "elsewhere"]
    assert view.front == "elsewhere"
    view.choose("elsewhere", on=False)
    assert view.front is None
    view.choose("c")
    assert view.chosen == ["a", "c"]


def test_only_the_image_welcomes_layers_of_other_people():
    assert [view.name for view in usual_views().values() if view.welcoming] == ["Image"]
