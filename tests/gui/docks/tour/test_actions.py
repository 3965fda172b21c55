"""Which actions lead to a step of a lesson, from the one before or from anywhere."""

from __future__ import annotations

from napari_pogmdm.gui.docks.tour.actions import Action, from_scratch, mask_recipe, onwards

FIRST = (
    Action("open", "demo"),
    Action("mask", "cartesian 4 8"),
    Action("preset", "fast"),
    Action("set", "injected_noise=0.5"),
    Action("start", "paused"),
)
SECOND = (
    Action("step", "substep 2"),
    Action("show", "image, error"),
    Action("highlight", "Sampler.buttons.substep"),
)
THIRD = (
    Action("set", "prior_weight=0.5"),
    Action("mask", "gaussian 8 4"),
    Action("start", "running"),
    Action("dock", "Trace"),
)


def test_the_next_step_does_what_it_says_and_takes_back_grid_and_algorithm():
    verbs = [action.verb for action in onwards(SECOND)]
    assert verbs == ["grid", "figure", "algorithm", "step", "show", "highlight"]


def test_going_back_sets_up_all_that_led_there():
    second = [(action.verb, action.value) for action in from_scratch((FIRST, SECOND))]
    assert second == [
        ("open", "demo"),
        ("mask", "cartesian 4 8"),
        ("preset", "fast"),
        ("set", "injected_noise=0.5"),
        ("start", "paused"),
        ("step", "substep 2"),
        ("show", "image, error"),
        ("grid", "off"),
        ("figure", "off"),
        ("algorithm", "off"),
        ("highlight", "Sampler.buttons.substep"),
    ]
    third = [(action.verb, action.value) for action in from_scratch((FIRST, SECOND, THIRD))]
    assert ("mask", "gaussian 8 4") in third
    assert ("mask", "cartesian 4 8") not in third
    assert ("step", "substep 2") not in third
    assert [value for verb, value in third if verb == "set"] == ["injected_noise=0.5", "prior_weight=0.5"]
    assert [value for verb, value in third if verb == "start"] == ["running"]


def test_masks_are_read_with_percent_and_seed():
    recipe = mask_recipe("cartesian 4 8 7")
    assert (recipe.kind, recipe.acceleration, recipe.centre_fraction, recipe.seed) == ("cartesian", 4.0, 0.08, 7)
