"""Keys and mouse on the canvas, in words for the card that lists them."""

from __future__ import annotations

KEYS: tuple[tuple[str, str], ...] = (
    ("", "Look"),
    ("M", "magnitude, phase, real, imaginary part of complex panels"),
    ("A", "all coils at once, or one"),
    ("B", "scale bar"),
    ("Ctrl + drag", "window and level of the panel under the mouse"),
    ("wheel, drag", "zoom, move"),
    ("Ctrl + R", "fit"),
    ("PageUp, PageDown", "previous, next slice; also Shift + wheel"),
    ("", "Compare"),
    ("W", "swipe: two images in one place"),
    ("F", "flicker: the next image in place of this one"),
    ("D", "difference of the first two images"),
    ("", "Measure"),
    ("Shift + drag", "line profile through all panels"),
    ("Ctrl + Shift + drag", "region: mean, SD, SNR; a second one: CNR"),
    ("Backspace", "remove lines and regions"),
    ("P", "save the view as a figure: PNG, SVG or PDF"),
    ("", "Run"),
    ("Space", "play, pause"),
    ("Left, Right", "previous, next state; or take a substep"),
    ("U", "sample, mean, standard deviation in turn"),
    ("F5", "presenter mode, on and off"),
    ("?, F1", "this card; a click closes it"),
)
"""Key and meaning; headings have no key."""
