from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QAbstractButton, QLabel

from gui.docks.sampling.mask_hand import draw_example, stroke
from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.gui.docks.sampling.brush import Brush
from napari_pogmdm.gui.docks.sampling.dock import SamplingDock
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.masks.names import MaskKind
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.status import Phase

WITH_AXIS = {"cartesian", "fastmri-random", "fastmri-equispaced", "fastmri-matched", "partial-fourier"}


@pytest.fixture
def dock(small, qtbot) -> SamplingDock:
    made = SamplingDock(small.viewer)
    small.viewer.window.add_dock_widget(made, name="Mask", area="right")
    with qtbot.waitExposed(small.viewer.window._qt_window):
        small.viewer.show()  # a canvas that was never drawn does not know where its pixels are
    return made


@pytest.fixture
def drawing(dock, until) -> SamplingDock:
    """A dock whose drawing mode was switched on by its button."""
    dock.draw_button.click()
    until(
        lambda: dock.controller.layer.layer is not None and dock.workbench.viewer.layers.selection.active is layer(dock)
    )
    return dock


def layer(dock):
    return dock.controller.layer.layer


def settled(dock, until) -> None:
    """Wait until the last stroke has reached the session and been measured."""
    wanted = dock.controller.drawing.samples
    until(lambda: np.array_equal(dock.session.mask.samples, wanted) and dock.session.measurement is not None)


def test_rules_apply_live_and_the_numbers_are_true(dock, until):
    session, rule = dock.session, dock.rule
    session.mask_request = MaskRecipe("cartesian", 3.0, 0.1)
    for kind in MaskKind:
        rule.kind.setCurrentIndex(rule.kind.findData(str(kind)))
        until(lambda kind=kind: session.mask is not None and session.mask.kind == kind)
        until(lambda: session.measurement is not None)
        rows = {name: rule.form.isRowVisible(field) for name, field in rule._rows.items()}
        assert rows["axis"] is (kind in WITH_AXIS)
        assert rows["seed"] is (kind not in {"radial", "golden-angle", "spiral"})
        assert f"{session.mask.acceleration:.2f}x" in dock.numbers.text()
    rule.kind.setCurrentIndex(rule.kind.findData("cartesian"))
    rule.axis.setCurrentIndex(1)
    rule.centre.setValue(25)
    rule.acceleration.setValue(3.0)
    until(lambda: session.mask.axis == "rows" and session.mask.centre_fraction == 0.25)
    until(lambda: session.mask.asked_acceleration == 3.0)
    assert "ACS: 12 central rows, 25.0 %" in dock.numbers.text()
    before = session.mask
    rule.another.click()
    until(lambda: session.mask.seed == 43)
    assert not np.array_equal(session.mask.samples, before.samples)


def test_a_recipe_that_cannot_be_leaves_the_mask_in_use(dock, small_scan, until):
    session = dock.session
    held = make_mask("cartesian", small_scan.shape, 2.0, 0.2, seed=5).samples
    half = replace(small_scan, kspace=small_scan.kspace * held, mask=held, reference=None, source="half a scan")
    session.mask_request = MaskRecipe("auto")
    dock.workbench.loader.take(InMemoryScan("half", (half,)))
    until(lambda: session.acquisition is half and session.measurement is not None)
    before = session.mask
    dock.rule.kind.setCurrentIndex(dock.rule.kind.findData("along golden-radial"))
    until(lambda: not dock.message.isHidden())
    assert "half a scan is undersampled already" in dock.message.text()
    assert session.mask is before
    assert session.trajectory is None
    assert session.measurement is not None
    dock.rule.kind.setCurrentIndex(dock.rule.kind.findData("spiral"))
    until(lambda: session.mask is not before and session.measurement is not None)
    assert dock.message.isHidden()


@pytest.mark.parametrize("kind", ["cartesian", "fastmri-matched", "poisson"])
def test_the_acceleration_ends_where_the_centre_alone_would_be_too_much(dock, until, kind):
    session, rule = dock.session, dock.rule
    rule.kind.setCurrentIndex(rule.kind.findData(kind))
    rule.centre.setValue(40)
    rule.acceleration.setValue(16)
    assert rule.acceleration.value() == pytest.approx(2.4)
    until(lambda: session.mask.kind == kind and session.mask.centre_fraction == 0.4)
    until(lambda: session.measurement is not None)
    assert dock.message.isHidden()
    rule.centre.setValue(5)
    rule.acceleration.setValue(8)
    assert rule.acceleration.value() == pytest.approx(8), "the slider is long again"


def test_strokes_change_mask_point_spread_and_image_and_undo_restores_them(drawing, until):
    dock, session, book = drawing, drawing.session, drawing.workbench.book
    start, spread, image = (
        array.copy() for array in (session.mask.samples, book.get("point spread").data, book.get("zero-filled").data)
    )
    free = int(np.flatnonzero(~start.any(axis=0))[0])
    dock.drawing.brushes[Brush.COLUMN].click()
    stroke(dock, (20, free))
    settled(dock, until)
    assert session.mask.samples[:, free].all()
    assert session.mask.edits == (f"painted column {free}",)
    expected = start.size / (start.sum() + start.shape[0])
    assert f"<b>{expected:.2f}x</b>" in dock.numbers.text()
    assert layer(dock).data[:, free].all()
    assert not np.array_equal(book.get("point spread").data, spread)
    assert not np.array_equal(book.get("zero-filled").data, image)
    assert dock.rule.kind.currentIndex() == -1

    dock.drawing.brushes[Brush.LINE].click()
    dock.drawing.mirrors["point"].setChecked(True)
    stroke(dock, (2, 2), (20, 10), (40, 30))
    settled(dock, until)
    assert session.mask.samples[2, 2]
    assert session.mask.samples[40, 30]
    assert session.mask.samples[46, 38], "the mirror image of the start through the centre (24, 20)"
    dock.drawing.eraser.click()
    assert layer(dock).mode == "erase"
    dock.drawing.brushes[Brush.ROW].click()
    stroke(dock, (30, 3))
    settled(dock, until)
    assert not session.mask.samples[30].any()
    assert not session.mask.samples[18].any()

    for _ in range(3):
        dock.drawing.undo.click()
    settled(dock, until)
    np.testing.assert_array_equal(session.mask.samples, start)
    assert isinstance(session.mask_request, MaskRecipe)
    until(lambda: np.array_equal(book.get("point spread").data, spread))
    np.testing.assert_allclose(book.get("zero-filled").data, image, rtol=1e-5)
    assert dock.rule.kind.currentData() == "cartesian"
    assert not dock.drawing.undo.isEnabled()


def test_aliasing_falls_when_the_mask_improves(drawing, until):
    dock, session = drawing, drawing.session

    def error() -> float:
        return float(np.sum((session.preview.zero_filled - session.reference) ** 2))

    errors = [error()]
    dock.drawing.brushes[Brush.COLUMN].click()
    for step in range(3):
        missing = np.flatnonzero(~session.mask.samples.any(axis=0))
        nearest = missing[np.argsort(np.abs(missing - 20))][:4]
        for column in nearest:
            stroke(dock, (10 + step, int(column)))
        settled(dock, until)
        errors.append(error())
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.5 * errors[0]


def test_everything_works_by_keyboard(drawing, until, qtbot):
    dock, session = drawing, drawing.session
    canvas = dock.workbench.viewer.window._qt_viewer.canvas.native
    qtbot.keyClick(canvas, Qt.Key.Key_R)
    assert dock.drawing.brushes[Brush.ROW].isChecked()
    dock.drawing.row.setValue(7)
    qtbot.keyClick(dock.drawing.paint, Qt.Key.Key_Space)
    settled(dock, until)
    assert session.mask.edits == ("painted row 7",)
    qtbot.keyClick(canvas, Qt.Key.Key_E)
    assert dock.drawing.eraser.isChecked()
    qtbot.keyClick(canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settled(dock, until)
    assert session.mask.edits == ()
    qtbot.keyClick(canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    settled(dock, until)
    assert session.mask.edits == ("painted row 7",)
    for widget in (dock.rule.kind, dock.draw_button, dock.drawing.paint, dock.drawing.undo, dock.load_button):
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert widget.toolTip()


def test_an_emptied_mask_is_said_and_the_last_one_stays(drawing, until):
    dock, session = drawing, drawing.session
    before = session.mask
    dock.drawing.clear.click()
    until(lambda: not dock.message.isHidden())
    assert "marks no sample" in dock.message.text()
    assert session.mask is before
    assert session.measurement is not None
    assert not layer(dock).data.any()
    dock.drawing.centre_form.setCurrentIndex(2)
    dock.drawing.centre_size.setValue(10)
    dock.drawing.fill.click()
    settled(dock, until)
    assert dock.message.isHidden()
    assert "fully sampled centre: 10 x 10" in dock.numbers.text()
    assert session.mask.kind == "drawn"
    dock.drawing.invert.click()
    settled(dock, until)
    assert session.mask.samples.sum() == 48 * 40 - 100


def test_a_file_that_is_undersampled_refuses_what_it_does_not_hold(drawing, small_scan, until):
    dock, session = drawing, drawing.session
    held = make_mask("cartesian", small_scan.shape, 2.0, 0.2, seed=5).samples
    half = replace(small_scan, kspace=small_scan.kspace * held, mask=held, reference=None, source="half a scan")
    dock.rule.show_recipe(MaskRecipe("cartesian"))
    session.mask_request = MaskRecipe("auto")
    dock.workbench.loader.take(InMemoryScan("half", (half,)))
    until(lambda: session.acquisition is half and session.measurement is not None)
    assert dock.rule.kind.currentData() == "file"
    until(lambda: (layer(dock).data == 2).sum() == (~held).sum())
    missing, there = int(np.flatnonzero(~held[0])[0]), int(np.flatnonzero(held[0])[0])
    dock.drawing.brushes[Brush.COLUMN].click()
    stroke(dock, (3, missing))
    until(lambda: not dock.message.isHidden())
    assert "not in half a scan" in dock.message.text()
    dock.controller.erase(True)
    stroke(dock, (3, there))
    settled(dock, until)
    np.testing.assert_array_equal(session.mask.samples, held & (np.arange(40) != there))


def test_a_drawn_mask_stays_for_slices_and_makes_way_for_another_size(drawing, until):
    dock, session = drawing, drawing.session
    dock.drawing.fill.click()
    dock.drawing.invert.click()
    settled(dock, until)
    drawn = session.mask
    session.scan = InMemoryScan("two", (session.acquisition, replace(session.acquisition)))
    dock.workbench.loader.load_slice(1)
    until(lambda: session.slice_index == 1 and session.measurement is not None)
    assert session.mask is drawn
    other = simulate_scan(shepp_logan((36, 52)), coils=2, noise=0.01, seed=1)
    dock.workbench.loader.take(InMemoryScan("other", (other,)))
    until(lambda: session.acquisition is other and session.measurement is not None)
    assert any("does not fit" in notice.text for notice in dock.workbench.heard)
    until(lambda: layer(dock) is not None and layer(dock).data.shape == (36, 52))
    until(lambda: np.array_equal(layer(dock).data != 0, session.mask.samples))
    dock.controller.choose(Brush.POINT)
    missing = tuple(int(place) for place in np.argwhere(~session.mask.samples)[200])
    stroke(dock, missing)
    settled(dock, until)
    assert session.mask.samples[missing]


def test_masks_are_saved_and_loaded(dock, until, tmp_path):
    session = dock.session
    saved = session.mask.samples.copy()
    dock.save(tmp_path / "mask.npy")
    until(lambda: dock.message.text() == "Saved mask.npy.")
    dock.save(tmp_path / "mask.png")
    until(lambda: dock.message.text() == "Saved mask.png.")
    assert (tmp_path / "mask.png").read_bytes()[:4] == b"\x89PNG"
    session.mask_request = MaskRecipe("radial", 3.0)
    until(lambda: session.mask.kind == "radial" and session.measurement is not None)
    dock.load(tmp_path / "mask.npy")
    until(lambda: session.mask.kind == "file" and session.measurement is not None)
    np.testing.assert_array_equal(session.mask.samples, saved)
    assert session.mask.edits == ("loaded from mask.npy",)
    (tmp_path / "bad.npy").write_bytes(b"no mask at all")
    dock.load(tmp_path / "bad.npy")
    until(lambda: "is not a readable NumPy mask" in dock.message.text())
    dock.save(tmp_path / "mask.tiff")
    until(lambda: "choose one of these endings" in dock.message.text())
    np.testing.assert_array_equal(session.mask.samples, saved)


def test_a_run_keeps_the_history_of_its_mask(drawing, until):
    dock, session = drawing, drawing.session
    dock.drawing.brushes[Brush.ROW].click()
    stroke(dock, (5, 5), (9, 5))
    settled(dock, until)
    assert dock.workbench.start(Phase.RUNNING)
    until(lambda: session.status.phase is Phase.FINISHED and session.result is not None)
    assert list(session.result.record.mask["edits"]) == ["painted rows 5 to 9"]


def test_drawing_shows_three_pictures_and_leaves_as_it_came(dock, until, qtbot):
    book, viewer = dock.workbench.book, dock.workbench.viewer
    draw_example(dock, until)
    three = [book.get(role) for role in ("zero-filled", "k-space", "point spread")]
    assert all(picture.visible for picture in three)
    extents = [picture.extent.world for picture in three]
    assert extents[0][1][1] < extents[1][0][1] < extents[1][1][1] < extents[2][0][1]
    dock.draw_button.click()
    assert not dock.controller.active
    assert layer(dock) is None
    assert [picture.visible for picture in three] == [True, False, False]
    assert isinstance(dock.session.mask_request, Mask)
    dock.draw_button.click()
    until(lambda: layer(dock) is not None)
    assert dock.drawing.undo.isEnabled(), "the history outlives a pause"
    viewer.layers.remove(layer(dock))
    assert not dock.draw_button.isChecked()
    assert dock.drawing.isHidden()


def test_napari_tools_count_as_well(drawing, until):
    dock = drawing
    target = layer(dock)
    target.mode = "fill"
    dock.drawing.clear.click()
    dock.drawing.centre_form.setCurrentIndex(2)
    dock.drawing.fill.click()
    settled(dock, until)
    target.fill((0, 0), 1)
    until(lambda: dock.session.mask.samples.all())
    assert dock.session.mask.edits[-1].endswith("with napari's tools")


def test_without_a_scan_there_is_nothing_to_draw_on(workbench):
    dock = SamplingDock(workbench.viewer)
    dock.draw_button.click()
    assert not dock.draw_button.isChecked()
    assert [notice.text for notice in workbench.heard] == ["mask: there is no scan to draw on; open one first."]
    dock.rule.kind.setCurrentIndex(dock.rule.kind.findData("spiral"))
    dock._apply_recipe()
    assert workbench.session.mask_request.kind == "spiral"


def test_no_mnemonic_is_taken_twice_or_from_the_menus(drawing):
    texts = [button.text() for button in drawing.findChildren(QAbstractButton) if not button.isHidden()]
    texts += [label.text() for label in drawing.findChildren(QLabel) if label.buddy() is not None]
    letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
    assert len(letters) > 8
    assert len(set(letters)) == len(letters)
    assert set(letters).isdisjoint("fvlpwh")
