from __future__ import annotations

import pytest

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.measure import measure
from napari_pogmdm.recon.virtual_coils import AUTO_COILS, read_coils, virtual_coils


@pytest.mark.parametrize(
    ("shape", "count"), [((96, 96), 43), ((160, 160), 15), ((224, 224), 8), ((320, 320), 8), ((640, 368), 8)]
)
def test_auto_keeps_as_many_coils_as_take_the_usual_time_and_at_least_eight(shape, count):
    assert virtual_coils(AUTO_COILS, shape) == count


def test_other_wishes_stay_as_they_are():
    assert virtual_coils(3, (96, 96)) == 3
    assert virtual_coils(0, (96, 96)) is None
    assert virtual_coils(None, (96, 96)) is None
    with pytest.raises(InputError, match="is negative"):
        virtual_coils(-2, (96, 96))


def test_numbers_and_auto_are_read():
    assert read_coils("auto") == AUTO_COILS
    assert read_coils("12") == 12
    with pytest.raises(InputError, match="neither a number nor auto"):
        read_coils("many")


def test_small_scans_are_measured_with_all_coils():
    small = simulate_scan(shepp_logan((48, 48)), coils=12)
    assert measure(small).kspace.shape[0] == 12
    assert measure(small, coils=8).kspace.shape[0] == 8
    assert measure(small).preparation.coils == 174
