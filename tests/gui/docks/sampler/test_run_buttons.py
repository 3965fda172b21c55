from __future__ import annotations

from napari_pogmdm.gui.docks.sampler.run_buttons import PACES
from napari_pogmdm.recon.sampler.presets import PRESETS


def test_no_pace_has_the_name_of_a_preset():
    assert {name.lower() for name in PACES}.isdisjoint(name.lower() for name in PRESETS)
    assert min(PACES.values()) == 0
