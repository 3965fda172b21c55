from __future__ import annotations

import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.newton import NewtonPlan, newton_start
from napari_pogmdm.recon.coils.start import chosen_start, starting_coils
from napari_pogmdm.recon.measurement import undersample


def test_auto_goes_by_the_centre_of_the_mask():
    scan = simulate_scan(shepp_logan((128, 128)), coils=4, noise=0.01)
    wide, narrow = (undersample(scan, make_mask("cartesian", (128, 128), 4, acl)) for acl in (0.15, 0.04))
    assert chosen_start(wide) == "low-pass"
    assert chosen_start(narrow) == "newton"
    assert chosen_start(narrow, "espirit") == "espirit"


@pytest.mark.slow
@pytest.mark.parametrize("start", [*CoilStart])
def test_starting_coils_have_unit_root_sum_of_squares(start):
    scan = simulate_scan(shepp_logan((64, 64)), coils=4, noise=0.01)
    measurement = undersample(scan, make_mask("cartesian", (64, 64), 2, 0.25))
    coils = starting_coils(measurement, start)
    assert coils.shape == (4, 64, 64)
    torch.testing.assert_close(root_sum_of_squares(coils), torch.ones(64, 64))
    with pytest.raises(InputError, match="unknown"):
        starting_coils(measurement, "guess")


def test_six_newton_steps_go_on_where_three_stop():
    scan = simulate_scan(shepp_logan((64, 64)), coils=4, noise=0.01)
    measurement = undersample(scan, make_mask("cartesian", (64, 64), 2, 0.1))
    three, six = (starting_coils(measurement, start) for start in ("newton", "newton-6"))
    torch.testing.assert_close(six, newton_start(measurement, NewtonPlan(steps=6))[1])
    torch.testing.assert_close(three, newton_start(measurement, NewtonPlan(steps=3))[1])
    assert (six - three).abs().max() > 1e-3


def test_calibrated_coils_have_the_phase_that_their_name_says():
    scan = simulate_scan(shepp_logan((64, 64)), coils=4, noise=0.001)
    measurement = undersample(scan, make_mask("cartesian", (64, 64), 2, 0.25))
    strongest = int(measurement.kspace.abs().square().sum(dim=(1, 2)).argmax())
    inside = torch.from_numpy(shepp_logan((64, 64)) > 0.1)
    found = starting_coils(measurement, "calibrated-coil")[strongest][inside]
    assert found.angle().abs().max() < 0.05
    low_pass, calibrated = (starting_coils(measurement, start) for start in ("low-pass", "calibrated"))
    assert torch.linalg.vecdot(low_pass, calibrated, dim=0)[inside].angle().abs().max() < 0.05
