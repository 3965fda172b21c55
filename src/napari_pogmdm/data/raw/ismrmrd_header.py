"""What the XML header of an ISMRMRD file says about the encoding."""

from __future__ import annotations

from math import isfinite
from xml.etree.ElementTree import Element

from napari_pogmdm.data.header import LARGEST_MATRIX, header_root
from napari_pogmdm.data.raw.lines import Encoding
from napari_pogmdm.errors import InputError

_LARGEST_VIEW = 1e5  # millimetres; a hundred metres, so that what is larger is a mistake
_STRONGEST = 100.0  # tesla; no magnet for people comes near


def parse_encoding(text: bytes | str, name: str, space: int) -> Encoding:
    """Read one encoding space of a header.

    Parameters
    ----------
    text
        The XML document.
    name
        Of the file.
    space
        Number of the encoding space, as the readouts refer to it.
    """
    root = header_root(text, name)
    for element in root.iter():  # some writers leave the namespace out
        element.tag = str(element.tag).rpartition("}")[2]
    spaces = root.findall("encoding")
    if not spaces:
        raise InputError(f"{name}: its header describes no encoding; export the file again.")
    encoding = spaces[space] if space < len(spaces) else spaces[0]

    def number(path: str, low: float, high: float, start: Element = encoding) -> float | None:
        found = start.findtext(path)
        if found is None or not found.strip():
            return None
        try:
            value = float(found)
        except ValueError:
            value = float("nan")
        if not (isfinite(value) and low <= value <= high):
            raise InputError(
                f"{name}: its header gives {found.strip()[:40]!r} for {path}, expected a number from {low:g} to "
                f"{high:g}; correct the header."
            )
        return value

    def three(path: str, low: float, high: float) -> tuple[float, float, float] | None:
        values = [number(f"{path}/{axis}", low, high) for axis in "xyz"]
        if values[0] is None or values[1] is None:
            return None
        return values[0], values[1], values[2] or 1.0

    def whole(values: tuple[float, float, float] | None) -> tuple[int, int, int] | None:
        return None if values is None else (int(values[0]), int(values[1]), int(values[2]))

    def centre(step: str) -> int | None:
        found = number(f"encodingLimits/kspace_encoding_step_{step}/center", 0, LARGEST_MATRIX)
        return None if found is None else int(found)

    protocol = root.findtext("measurementInformation/protocolName")
    return Encoding(
        matrix=whole(three("encodedSpace/matrixSize", 1, LARGEST_MATRIX)),
        recon_matrix=whole(three("reconSpace/matrixSize", 1, LARGEST_MATRIX)),
        view_mm=three("encodedSpace/fieldOfView_mm", 0, _LARGEST_VIEW) if _has_view(encoding, "encodedSpace") else None,
        recon_view_mm=three("reconSpace/fieldOfView_mm", 0, _LARGEST_VIEW)
        if _has_view(encoding, "reconSpace")
        else None,
        centre_1=centre("1"),
        centre_2=centre("2"),
        trajectory=(encoding.findtext("trajectory") or "cartesian").strip().lower(),
        calibration=(encoding.findtext("parallelImaging/calibrationMode") or "").strip().lower(),
        contrast=None if not protocol else protocol.strip()[:80] or None,  # a line of the card holds no more
        field_strength_tesla=number("acquisitionSystemInformation/systemFieldStrength_T", 0, _STRONGEST, root) or None,
    )


def _has_view(encoding: Element, space: str) -> bool:
    """Whether a field of view is stated; zero stands for unknown in some writers."""
    for axis in "xy":
        try:
            if not float(encoding.findtext(f"{space}/fieldOfView_mm/{axis}") or 0) > 0:
                return False
        except ValueError:
            return True  # is refused where it is read
    return True
