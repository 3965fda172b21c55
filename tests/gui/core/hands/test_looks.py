from __future__ import annotations

import numpy as np

from napari_pogmdm.gui.core.hands.looks import tiled
from napari_pogmdm.runs.status import Phase


def test_a_mosaic_has_every_image_once():
    stack = np.arange(5 * 2 * 3.0).reshape(5, 2, 3)
    whole = tiled(stack, rest=-1.0)
    assert whole.shape == (3 * 2, 2 * 3)
    np.testing.assert_array_equal(whole[:2, 3:], stack[1])
    np.testing.assert_array_equal(whole[4:, :3], stack[4])
    assert (whole[4:, 3:] == -1.0).all()


def test_one_key_goes_through_the_parts_of_the_run_and_of_its_pin(small, until):
    assert small.start(Phase.RUNNING)
    until(lambda: small.session.result is not None)
    pin = small.pins.pin_run()
    complex_image = small.session.result.complex_image
    magnitude = small.canvas.panels()
    small.hands.looks.next_part()
    until(lambda: small.book.get("look at image") is not None)
    expected = np.angle(complex_image)
    np.testing.assert_allclose(small.book.get(f"look at {pin}").data, expected, atol=2e-3)
    np.testing.assert_allclose(small.book.get("look at image").data, expected, atol=2e-3)
    assert small.canvas.panels() == small.book.layers(["look at image", f"look at {pin}"])
    small.hands.looks.next_part()
    real = small.book.get(f"look at {pin}")
    np.testing.assert_allclose(real.data, small.session.result.image * np.cos(expected), rtol=1e-3, atol=1e-4)
    assert real.name.startswith("real part of ")
    for _ in range(2):
        small.hands.looks.next_part()
    assert small.canvas.panels() == magnitude


def test_all_coils_are_seen_at_once_in_every_part(small, until):
    small.canvas.show("Coils")
    until(lambda: small.book.get("coil images") is not None)
    small.hands.looks.toggle_mosaic()
    (mosaic,) = small.canvas.panels()
    coils = small.book.get("coil images").data
    assert mosaic.data.size == coils.size  # of four coils nothing is left over
    np.testing.assert_array_equal(mosaic.data[: coils.shape[1], : coils.shape[2]], coils[0])
    small.hands.looks.next_part()
    until(lambda: small.book.get("coil images").name == "coil images, phase")
    until(
        lambda: np.array_equal(mosaic.data[: coils.shape[1], : coils.shape[2]], small.book.get("coil images").data[0])
    )
    assert list(mosaic.contrast_limits) == [-np.float64(np.pi), np.float64(np.pi)]
    small.hands.looks.toggle_mosaic()
    assert small.canvas.panels() == [small.book.get("coil images")]
