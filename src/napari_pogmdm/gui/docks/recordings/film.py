"""A recorded run as a film: chosen pictures side by side, with the numbers of the moment below. No Qt in here."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.files import PendingFile, whole_file
from napari_pogmdm.gui.core.replay import Replay
from napari_pogmdm.runs.recording import Recording
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import TracePoint

Pixels = NDArray[np.uint8]
_SMALLEST_SIDE = 224  # pixels; smaller pictures are enlarged by whole factors, so that pixels stay square
_LINE = 22  # pixels of a line of letters
_LETTERS = 13  # pixels of a letter
_GAP = 4  # pixels between two pictures
_EDGE = 3  # pixels around letters
_GIF_COLOURS = 128  # half of what GIF can have, for smaller files
_WORDS = (220, 220, 220)  # a light grey that does not outshine the pictures


@dataclass(frozen=True, eq=False)
class Panel:
    """One picture of the film.

    Attributes
    ----------
    role, title
        What it shows, and what is written above it.
    colours
        (256, 3) from the lower to the upper limit.
    limits
        Of the contrast, in the units of the picture.
    coil
        Which of several coils is shown.
    """

    role: str
    title: str
    colours: Pixels
    limits: tuple[float, float]
    coil: int = 0

    def paint(self, picture: FloatImage, size: int = 1) -> Pixels:
        """Colour a picture, so many times as large as it needs to be."""
        plane = picture if picture.ndim == 2 else picture[min(self.coil, len(picture) - 1)]
        low, high = self.limits
        steps = np.clip((plane - low) * (255 / max(high - low, 1e-12)), 0, 255).astype(np.uint8)
        enlarge = size * max(1, math.ceil(_SMALLEST_SIDE / max(plane.shape)))
        return self.colours[steps].repeat(enlarge, axis=0).repeat(enlarge, axis=1)


def caption(point: TracePoint, steps: int) -> str:
    """Say in one line where a run stands."""
    parts = [f"iteration {point.iteration} of {steps}", f"sigma {point.sigma:.3f}"]
    if math.isfinite(point.psnr):
        parts.append(f"PSNR {point.psnr:.1f} dB")
    return " · ".join(parts)


def film_frames(recording: Recording, panels: Sequence[Panel], size: int = 1) -> Iterator[Pixels]:
    """Draw every frame, (rows, columns, 3); both sides are even, as video formats want them.

    Parameters
    ----------
    recording
        The run.
    panels
        What is shown of it, from left to right.
    size
        How many times as large as is needed to see every pixel; letters grow, too.
    """
    if not panels:
        raise InputError("film: no picture of the recording is visible; show a layer of it first.")
    replay = Replay(recording)
    for index in range(len(recording)):
        replay.go_to(index)
        pictures = replay.frame([panel.role for panel in panels]).arrays
        blanks = {panel.role: _blank(recording, panel.role) for panel in panels if panel.role not in pictures}
        painted = [panel.paint({**blanks, **pictures}[panel.role], size) for panel in panels]
        words = [panel.title for panel in panels], caption(replay.point, recording.facts.steps)
        yield _compose(painted, *words, size)


def film_trouble(path: Path) -> str | None:
    """Say why a film cannot be written under this name; ``None`` if it can."""
    kind = path.suffix.lower()
    if kind == ".gif":
        return None
    if kind != ".mp4":
        return f"{path.name}: films are saved as .gif or .mp4; choose one of these endings."
    if find_spec("imageio_ffmpeg") is None:
        return f"{path.name}: MP4 needs the package imageio-ffmpeg; install it, or save a GIF."
    return None


def save_film(
    frames: Iterator[Pixels], path: Path, speed: float, cancelled: Callable[[], bool] = lambda: False
) -> None:
    """Write a film.

    Parameters
    ----------
    frames
        (rows, columns, 3) each.
    path
        Ends in .gif or .mp4.
    speed
        Frames a second.
    cancelled
        Asked between frames.
    """
    trouble = film_trouble(path)
    if trouble is not None:
        raise InputError(trouble)

    def watched() -> Iterator[Pixels]:
        for frame in frames:
            if cancelled():
                raise Cancelled
            yield frame

    with whole_file(path) as stream:
        (_save_gif if path.suffix.lower() == ".gif" else _save_mp4)(watched(), stream, speed)


def _save_gif(frames: Iterator[Pixels], stream: PendingFile, speed: float) -> None:
    from PIL import Image

    pages = (Image.fromarray(frame).quantize(_GIF_COLOURS) for frame in frames)
    first = next(pages)
    first.save(stream, "GIF", save_all=True, append_images=pages, duration=round(1000 / speed), loop=0)


def _save_mp4(frames: Iterator[Pixels], stream: PendingFile, speed: float) -> None:
    """Let ffmpeg write where it can, in a folder of its own, and take what it made."""
    import imageio

    with tempfile.TemporaryDirectory(prefix="pogmdm-film-") as folder:
        made = Path(folder) / "film.mp4"
        try:
            with imageio.get_writer(made, fps=speed, macro_block_size=2) as writer:
                for frame in frames:
                    writer.append_data(frame)
            stream.write(made.read_bytes())
        except OSError as error:
            raise InputError(f"{folder}: ffmpeg could not write its film there ({error}); make room there.") from error


def _blank(recording: Recording, role: str) -> FloatImage:
    shape = recording.tracks[Role.IMAGE if role == Role.ERROR else role].shape
    return np.zeros(shape, dtype=np.float32)


def _compose(painted: Sequence[Pixels], titles: Sequence[str], below: str, size: int) -> Pixels:
    from PIL import Image, ImageDraw, ImageFont

    height = max(panel.shape[0] for panel in painted)
    widths = [panel.shape[1] for panel in painted]
    gap, line, edge = size * _GAP, size * _LINE, size * _EDGE
    canvas = Image.new("RGB", (_even(sum(widths) + gap * (len(widths) - 1)), _even(height + 2 * line)))
    draw, font = ImageDraw.Draw(canvas), ImageFont.load_default(size * _LETTERS)
    left = 0
    for panel, title, width in zip(painted, titles, widths, strict=True):
        draw.text((left + edge, edge), title, fill=_WORDS, font=font)
        canvas.paste(Image.fromarray(panel), (left, line))
        left += width + gap
    draw.text((edge, height + line + edge), below, fill=_WORDS, font=font)
    return np.asarray(canvas)


def _even(length: int) -> int:
    return length + length % 2
