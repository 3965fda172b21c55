from __future__ import annotations

import numpy as np
import pytest
from napari.layers import Image

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.data.dock import DataDock
from napari_pogmdm.gui.docks.data.simulate_box import shown_slice


@pytest.fixture
def form(workbench, qtbot):
    dock = DataDock(workbench.viewer)
    workbench.viewer.window.add_dock_widget(dock)
    return dock.simulation.form


def test_the_form_follows_the_image_layers(workbench, form):
    assert not form.call_button.enabled
    workbench.viewer.add_labels(np.zeros((8, 8), int), name="labels")
    assert not form.call_button.enabled
    layer = workbench.viewer.add_image(np.ones((8, 8)), name="first")
    workbench.viewer.add_image(np.ones((8, 8)), name="second")
    assert form.layer.choices == tuple(workbench.viewer.layers[name] for name in ("first", "second"))
    form.layer.value = layer
    layer.name = "renamed"
    assert form.layer.value is layer
    assert "renamed" in [form.layer.native.itemText(number) for number in range(form.layer.native.count())]
    workbench.viewer.layers.remove(layer)
    assert form.layer.value is workbench.viewer.layers["second"]
    assert form.call_button.enabled


def test_coils_noise_and_seed_make_the_scan(workbench, form, until):
    workbench.viewer.add_image(np.random.default_rng(0).random((32, 40)), name="image")
    form.coils.value, form.noise.value = 3, 0.05
    scans = []
    for seed in (0, 0, 7):
        form.seed.value = seed
        before = workbench.session.acquisition
        form.call_button.native.click()
        until(lambda before=before: workbench.session.acquisition not in (None, before))
        scans.append(workbench.session.acquisition)
    assert scans[0].kspace.shape == (3, 32, 40)
    assert scans[0].source.startswith("simulated from image")
    np.testing.assert_array_equal(scans[0].kspace, scans[1].kspace)
    assert np.std((scans[2].kspace - scans[0].kspace).real) == pytest.approx(0.05 * np.sqrt(2), rel=0.1)


def test_of_a_stack_the_shown_slice_is_taken():
    stack = np.random.default_rng(0).random((3, 4, 8, 9))
    np.testing.assert_array_equal(shown_slice(Image(stack), (2, 9, 0, 0)), stack[2, 3])
    np.testing.assert_array_equal(shown_slice(Image(stack[0, 0]), (2, 1, 0, 0)), stack[0, 0])
    with pytest.raises(InputError, match="colour or multiscale"):
        shown_slice(Image(np.zeros((8, 8, 3), np.uint8), rgb=True), (0, 0))
