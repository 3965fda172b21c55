"""Memory of a run, told beforehand."""

from __future__ import annotations

import pytest

import napari_pogmdm as pg
from napari_pogmdm.recon.sampler import memory
from napari_pogmdm.recon.sampler.memory import chains_that_fit, check_memory, memory_of_chain


def measured(coils: int) -> pg.Measurement:
    return pg.measure(pg.phantom_scan((40, 32), coils=coils)[0], pg.make_mask("cartesian", (40, 32), 2), coils=None)


def test_memory_grows_with_coils_and_map_sets_and_is_compared_with_what_is_free(monkeypatch):
    few, many = measured(2), measured(6)
    assert memory_of_chain(many) > memory_of_chain(few) >= 2 * few.kspace.numel() * 8
    assert memory_of_chain(few, 2) == 2 * memory_of_chain(few)
    check_memory(many)
    monkeypatch.setattr(memory, "free_memory", lambda device: memory_of_chain(many) - 1)
    check_memory(few)
    with pytest.raises(pg.InputError, match=r"phantom: a run needs about .* choose fewer virtual coils"):
        check_memory(many)
    with pytest.raises(pg.InputError, match="are free"):
        pg.reconstruct(many, preset="fast")
    assert chains_that_fit(many) == 1
