from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.recordings import film


def grey() -> np.ndarray:
    return np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)


def test_a_film_has_every_frame_and_its_caption(short_recording, tmp_path):
    from PIL import Image

    panels = [film.Panel(role, role, grey(), (0.0, 1.0)) for role in ("image", "coil magnitude", "mean")]
    film.save_film(film.film_frames(short_recording, panels), tmp_path / "run.gif", 10)
    with Image.open(tmp_path / "run.gif") as gif:
        assert gif.n_frames == len(short_recording)
        assert gif.info["duration"] == 100
    first, *_, last = film.film_frames(short_recording, panels)
    large = next(film.film_frames(short_recording, panels, 3))
    assert large.shape[0] >= 2.9 * first.shape[0]
    assert large.shape[1] >= 2.9 * first.shape[1]
    assert first.shape == last.shape
    assert first.shape[0] % 2 == first.shape[1] % 2 == 0
    assert (first[-20:] != last[-20:]).any()  # the caption


def test_films_say_why_they_cannot_be_made(short_recording, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="no picture of the recording is visible"):
        film.save_film(film.film_frames(short_recording, []), tmp_path / "run.gif", 10)
    assert not list(tmp_path.iterdir())
    assert "films are saved as" in film.film_trouble(tmp_path / "run.avi")
    monkeypatch.setattr(film, "find_spec", lambda name: None)
    assert "imageio-ffmpeg" in film.film_trouble(tmp_path / "run.mp4")
