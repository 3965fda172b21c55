"""What a scan says about itself, in words."""

from __future__ import annotations

from collections.abc import Mapping

from napari_pogmdm.data.acquisition import Acquisition

_LONGEST_WORD = 22  # letters that a line of the card holds beside its name


def card_of(acquisition: Acquisition, dimensions: Mapping[str, int]) -> dict[str, str]:
    """Give the lines of the card, by their names; one line names all that the file does not state.

    Parameters
    ----------
    acquisition
        The loaded slice.
    dimensions
        How many slices the scan has, and contrasts and repetitions where there are several.
    """
    header = acquisition.header
    oversampling, strength = header.readout_oversampling, header.field_strength_tesla
    lines: dict[str, str | None] = {
        "Source": shortened(acquisition.source),
        "Slices": str(dimensions["slice"]),
        **{f"{name.capitalize()}s": str(count) for name, count in dimensions.items() if name != "slice"},
        "Coils": str(acquisition.coils),
        "k-space": _size(acquisition.shape),
        "Image": _size(acquisition.crop),
        "Encoded FOV": _millimetres(header.encoded_field_of_view_mm),
        "Image FOV": _millimetres(header.recon_field_of_view_mm),
        "Oversampling": None if oversampling is None else _oversampling(oversampling),
        "Padding": _padding(acquisition),
        "Contrast": header.contrast,
        "Field": None if strength is None else f"{strength:.3g} T",
        "Sampling": _sampling(acquisition),
        "Reference": _reference(acquisition),
    }
    if acquisition.remarks:
        lines["Found, done"] = shortened("; ".join(acquisition.remarks))
    stated = {name: text for name, text in lines.items() if text}
    missing = ", ".join(name[0].lower() + name[1:] for name in lines if name not in stated)
    return {**stated, "Not stated": missing} if missing else stated


def shortened(text: str) -> str:
    """Cut the middle out of words, such as names of files, that would make the dock wider than it is."""
    return " ".join(
        word if len(word) <= _LONGEST_WORD else f"{word[: _LONGEST_WORD // 2]}…{word[-_LONGEST_WORD // 2 + 1 :]}"
        for word in text.split(" ")
    )


def _oversampling(factor: float) -> str:
    return "none" if factor == 1 else f"{factor:.3g} times along the readout"


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]}"


def _millimetres(view: tuple[float, float] | None) -> str | None:
    return None if view is None else f"{view[0]:.4g} x {view[1]:.4g} mm"


def _padding(acquisition: Acquisition) -> str | None:
    measured = acquisition.header.acquired_columns
    if measured is None:
        return None
    first, end = measured
    columns = acquisition.shape[1]
    left, right = max(0, min(first, columns)), max(0, columns - end)
    if not left + right:
        return "none"
    return f"{left} columns at the left and {right} at the right are zero"


def _sampling(acquisition: Acquisition) -> str:
    if acquisition.trajectory is not None:
        return f"{len(acquisition.trajectory)} samples along a trajectory"
    if acquisition.mask is None:
        return "full"
    return f"{acquisition.mask.size / int(acquisition.mask.sum()):.3g} times undersampled in the file"


def _reference(acquisition: Acquisition) -> str:
    if acquisition.noise_free_reference:
        return "the image that was scanned"
    if acquisition.reference is not None:
        return "in the file"
    full = acquisition.mask is None and acquisition.trajectory is None
    return "computed from full k-space" if full else "none"
