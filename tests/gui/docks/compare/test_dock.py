"""The Compare dock, used as a person uses it."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
import torch
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QFileDialog

from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.evaluation import case as cases_module
from napari_pogmdm.gui.docks.compare.dock import CompareDock
from napari_pogmdm.gui.docks.compare.layers import IMAGES
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.weights import save_rival
from rivals.damaged import damaged
from rivals.tiny import TINY, tiny_network


@pytest.fixture
def dock(small) -> CompareDock:
    """The dock on the small scan, with its own quick settings of the sampler on the list."""
    made = CompareDock(small.viewer)
    small.viewer.window.add_dock_widget(made, name="Compare", area="bottom")
    made.methods.tick("flf-tc, fast", False)
    made.methods.preset.setCurrentText("as set")
    made.methods.add.click()
    return made


def visible(workbench) -> list[str]:
    return [layer.name for layer in workbench.viewer.layers if layer.visible]


def cells(table, column: int) -> list[str]:
    return [table.item(line, column).text() for line in range(table.rowCount())]


def run(dock, until) -> None:
    dock.methods.run.click()
    until(lambda: not dock.busy)


def test_methods_run_into_a_sortable_table_and_a_grid_with_errors(small, dock, until, qtbot):
    before = visible(small)
    run(dock, until)
    assert cells(dock.results.table, 0) == ["zero-filled", "CG-SENSE", "flf-tc, as set"]
    assert cells(dock.results.table, 5) == ["–", "–", "7,348"]
    assert all(float(text) >= 0 for text in cells(dock.results.table, 4))
    psnr = [float(text) for text in cells(dock.results.table, 1)]
    assert max(psnr) > psnr[0] + 1
    best = [item.font().bold() for item in (dock.results.table.item(line, 1) for line in range(3))]
    assert not any(dock.results.table.item(line, 4).font().bold() for line in range(3))  # zero-filled wins nothing
    assert best == [value == max(psnr) for value in psnr]

    header = dock.results.table.horizontalHeader()
    middle = header.sectionViewportPosition(1) + header.sectionSize(1) // 2
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=_at(header, middle))
    assert [float(text) for text in cells(dock.results.table, 1)] == sorted(psnr)

    grid = small.viewer.canvas.grid
    assert dock.results.side_by_side.isChecked()
    assert grid.actual_shape(small.viewer.layers) == (2, 4)
    shown = visible(small)
    assert shown[3] == "fully sampled"
    assert shown[4:] == ["error of zero-filled", "error of CG-SENSE", "error of flf-tc, as set"]
    images = [small.viewer.layers[name] for name in shown[:4]]
    assert len({tuple(layer.contrast_limits) for layer in images}) == 1
    images[0].contrast_limits = (0.0, 0.5)
    assert tuple(images[3].contrast_limits) == (0.0, 0.5)
    error = small.viewer.layers["error of CG-SENSE"]
    np.testing.assert_allclose(error.data, np.abs(images[1].data - images[3].data), rtol=1e-5)
    dock.results.errors.click()
    assert visible(small) == shown[:4]
    dock.results.side_by_side.click()
    assert sorted(visible(small)) == sorted(before)
    assert not small.heard

    dock.results.table.selectRow(0)
    dock.results.table.itemDoubleClicked.emit(dock.results.table.item(0, 0))
    assert small.viewer.layers.selection.active.name.startswith(cells(dock.results.table, 0)[0])


def _at(header, x: int):
    point = header.viewport().rect().center()
    point.setX(x)
    return point


def test_region_coils_and_slices_follow(small, dock, until):
    dock.methods.tick("zero-filled", False)
    assert dock.methods.slices.maximum() == 2
    dock.methods.slices.setValue(2)
    run(dock, until)
    assert [sorted(row.metrics) for row in dock.rows] == [[0, 1], [0, 1]]
    dots = [item for item in dock.slice_page.plot.getPlotItem().listDataItems() if item.opts["symbol"]]
    assert [len(item.getData()[1]) for item in dots] == [2, 2]

    assert cells(dock.coil_page.table, 0) == ["CG-SENSE", "flf-tc, as set"]
    assert all(0 < float(text.rstrip("%")) < 40 for text in cells(dock.coil_page.table, 1))
    dock.coil_page.show_maps.click()
    assert all("residual" in name for name in visible(small))

    region = dock.region_page
    region.begin.click()
    shapes = small.viewer.layers["region"]
    assert not small.viewer.canvas.grid.enabled
    assert "holds no shape" in region.remark.text()
    shapes.add_rectangles([[10, 8], [30, 28]])
    assert region.remark.text().endswith("pixels")
    assert cells(region.table, 0) == ["CG-SENSE", "flf-tc, as set", "fully sampled"]
    reference = small.session.reference
    assert float(cells(region.table, 1)[2]) == pytest.approx(reference[10:31, 8:29].mean(), rel=0.1)
    assert cells(region.table, 3)[2] == "–"
    shapes.data = [shapes.data[0] + 1000]
    assert "outside the image" in region.remark.text()
    assert region.table.rowCount() == 0
    small.viewer.layers.remove(shapes)
    assert region.chosen is None


def test_cancel_frees_the_dock_at_once_and_keeps_what_is_done(small, dock, until):
    small.session.settings = replace(small.session.settings, iterations=5000)
    dock.methods.add.click()
    dock.methods.tick("CG-SENSE", False)
    dock.methods.tick("joint TV")
    dock.methods.run.click()
    assert dock.methods.run.text() == "&Cancel"
    until(lambda: dock.rows[0].result is not None and dock.rows[-1].fraction > 0)
    dock.methods.run.click()
    assert not dock.busy
    until(lambda: not dock.runner._worker.busy)
    assert [row.state.value for row in dock.rows] == ["done", "done", "cancelled"]
    assert cells(dock.results.table, 4)[2] == "cancelled"
    dock.methods.tick("flf-tc, as set", False)
    dock.methods.tick("joint TV", False)
    dock.methods.tick("CG-SENSE")
    run(dock, until)
    assert [row.state.value for row in dock.rows] == ["done", "done", "cancelled", "done"]


def test_a_new_mask_makes_results_old_and_the_next_run_replaces_them(small, dock, until):
    run(dock, until)
    small.session.mask_request = MaskRecipe("cartesian", 3.0, 0.3)
    until(lambda: small.session.measurement is not None and "Earlier mask" in dock.results.remark.text())
    assert small.book.title(f"{IMAGES} zero-filled")[1] == "earlier mask"
    dock.methods.tick("flf-tc, as set", False)
    run(dock, until)
    assert small.book.title(f"{IMAGES} zero-filled")[1] == ""
    assert cells(dock.results.table, 0) == ["zero-filled", "CG-SENSE"]
    assert dock.results.remark.text() == ""
    assert "error of flf-tc, as set" not in [layer.name for layer in small.viewer.layers]
    small.session.settings = replace(small.session.settings, iterations=5000)
    dock.methods.add.click()
    dock.methods.run.click()
    small.session.mask_request = MaskRecipe("cartesian", 2.0, 0.3)
    assert not dock.busy
    assert "because mask or slice changed" in small.heard[-1].text


def test_exports_by_ending(small, dock, until, tmp_path, monkeypatch):
    pytest.importorskip("nibabel")
    dock.results.save.click()
    assert "nothing to export yet" in small.heard[-1].text
    dock.methods.tick("flf-tc, as set", False)
    run(dock, until)
    for name in ("table.csv", "panel.png", "image.nii.gz", "wrong.txt"):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, chosen=name: (str(tmp_path / chosen), ""))
        told = len(small.heard)
        dock.results.save.click()
        until(lambda told=told: len(small.heard) > told)
    assert "choose one of these" in small.heard[-1].text
    lines = list(csv.DictReader((tmp_path / "table.csv").open()))
    assert [line["method"] for line in lines] == ["zero-filled", "CG-SENSE"]
    assert (tmp_path / "panel.png").stat().st_size > 10_000
    names = {path.name for path in tmp_path.glob("*.nii.gz")}
    assert names == {"image-fully-sampled.nii.gz", "image-zero-filled.nii.gz", "image-cg-sense.nii.gz"}


def test_without_a_scan_without_a_tick_without_a_reference_or_sigpy(workbench, small_scan, until, monkeypatch):
    monkeypatch.setattr(cases_module, "find_spec", lambda name: None)
    dock = CompareDock(workbench.viewer)
    dock.methods.run.click()
    assert workbench.heard[-1].text == "compare: open a scan first."
    dock.results.side_by_side.click()
    assert "no image yet" in workbench.heard[-1].text
    assert not dock.results.side_by_side.isChecked()
    (espirit,) = dock.methods.list.findItems("ESPIRiT + CG", Qt.MatchFlag.MatchExactly)
    assert not espirit.flags() & Qt.ItemFlag.ItemIsEnabled
    assert "needs SigPy" in espirit.toolTip()

    samples = MaskRecipe("cartesian", 2.0, 0.3).make(small_scan).samples
    partial = replace(small_scan, mask=samples, kspace=small_scan.kspace * samples, reference=None)
    workbench.loader.take(InMemoryScan("partial", (partial,)))
    until(lambda: workbench.session.measurement is not None)
    for label in ("zero-filled", "CG-SENSE", f"{DEFAULT_MODEL}, fast"):
        dock.methods.tick(label, False)
    dock.methods.run.click()
    assert "tick at least one" in workbench.heard[-1].text
    assert not dock.busy
    dock.methods.tick("zero-filled")
    run(dock, until)
    assert cells(dock.results.table, 1) == ["–"]
    assert float(cells(dock.results.table, 4)[0]) >= 0
    assert "No reference" in dock.results.remark.text()
    assert workbench.canvas.shown == "Compare"
    dock.deleteLater()


def test_one_that_fails_does_not_stop_the_others(small, dock, until, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(cases_module.SamplerMethod, "run", broken)
    dock.methods.tick("zero-filled", False)
    dock.methods.tick("CG-SENSE", False)
    dock.methods.tick("TV")
    monkeypatch.setattr(cases_module, "reconstruct", broken)
    run(dock, until)
    assert cells(dock.results.table, 4) == ["failed", "failed"]
    assert len(small.heard) == 2
    assert all("no such kernel" in notice.text for notice in small.heard)
    assert "no such kernel" in dock.results.table.item(0, 0).toolTip()


def test_a_rival_is_offered_and_the_table_says_what_it_has_seen(small, dock, until, tmp_path):
    seen = {"masks": "C4/8", "anatomy": "brain", "contrast": "T1", "acceleration": 4.0, "centre_fraction": 0.08}
    save_rival(tiny_network(Rival.UNET), TINY[Rival.UNET], tmp_path / "mine.safetensors", {"trained_on": seen})
    dock.add_checkpoint(str(tmp_path / "mine.safetensors"))
    until(lambda: "U-Net, mine" in [choice.label for choice in dock.methods.ticked])
    labels = [item.text() for item in dock.methods._items()]
    assert "scoreMRI" in labels
    for label in labels:
        dock.methods.tick(label, label == "U-Net, mine")
    run(dock, until)
    assert cells(dock.results.table, 0) == ["U-Net, mine"]
    assert cells(dock.results.table, 6)[0].startswith("brain T1, C4/8: ")
    assert "Trained on brain T1" in dock.results.table.item(0, 0).toolTip()


def test_a_checkpoint_of_ones_own_joins_and_a_bad_one_is_a_sentence(small, dock, until, tmp_path):
    torch.save(tiny_network(Rival.VARNET).state_dict(), tmp_path / "mine.pt")
    dock.add_checkpoint(str(tmp_path / "mine.pt"))
    until(lambda: "VarNet, mine" in [choice.label for choice in dock.methods.ticked])
    (tmp_path / "bad.pt").write_bytes(b"PK\x03\x04 and nothing more")
    dock.add_checkpoint(str(tmp_path / "bad.pt"))
    until(lambda: any("bad.pt" in notice.text for notice in small.heard))
    for label in [item.text() for item in dock.methods._items()]:
        dock.methods.tick(label, label == "VarNet, mine")
    run(dock, until)
    assert cells(dock.results.table, 6) == ["images unknown to this program, masks unknown"]


def test_no_bad_checkpoint_spoils_the_dock(small, dock, until, tmp_path):
    offered = [item.text() for item in dock.methods._items()]
    bad = damaged(tmp_path)
    del bad["another"]  # is no VarNet, but a U-Net, which the dock takes
    for name, path in bad.items():
        before = len(small.heard)
        dock.add_checkpoint(str(path))
        until(lambda: len(small.heard) > before)  # noqa: B023 - it is called before the next one
        assert path.name in small.heard[-1].text, name
    assert [item.text() for item in dock.methods._items()] == offered
    for label in [item.text() for item in dock.methods._items()]:
        dock.methods.tick(label, label == "zero-filled")
    run(dock, until)
    assert cells(dock.results.table, 0) == ["zero-filled"]
