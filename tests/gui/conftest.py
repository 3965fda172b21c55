"""The real window on a small scan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from napari import settings

from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.gui.background.notices import Notice
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import Choosing
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe

Until = Callable[..., None]
# Choosing takes longer than four iterations; the tests of the choice ask for it.
QUICK = replace(preset("default"), iterations=4, injected_noise=0.5, choose=Choosing.NONE)


@pytest.fixture
def until(qtbot) -> Until:
    """Let the window live until a condition holds."""

    def wait(condition: Callable[[], object], seconds: float = 30.0) -> None:
        qtbot.waitUntil(lambda: bool(condition()), timeout=int(1000 * seconds))

    return wait


@pytest.fixture(autouse=True)
def _nothing_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tests away from the user's own folders."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    settings.get_settings()._save_on_change = False
    settings._clear_plugin_settings_cache()
    monkeypatch.setattr(settings, "_CFG_PATH", str(tmp_path / "settings.yaml"))


@pytest.fixture
def workbench(make_napari_viewer) -> Iterator[Workbench]:
    """An empty workbench in a viewer of its own, whose notices are collected in ``workbench.heard``."""
    bench = Workbench.of(make_napari_viewer())
    heard: list[Notice] = []
    bench.noticed.connect(heard.append)
    bench.heard = heard
    yield bench
    bench.close()


@pytest.fixture
def small(workbench: Workbench, small_scan, until: Until) -> Workbench:
    """A workbench with a scan of 4 coils, 48 x 40, a mask, a model, and settings for four quick iterations."""
    workbench.session.settings = QUICK
    workbench.session.mask_request = MaskRecipe("cartesian", 2.0, 0.3)
    workbench.loader.take(InMemoryScan("small", (small_scan, small_scan)))
    workbench.loader.load_model("flf-tc")
    until(lambda: workbench.session.measurement is not None and workbench.session.prior is not None)
    return workbench
