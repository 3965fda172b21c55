"""The protocol in a Siemens file: text from which the few facts that are needed are picked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite

from napari_pogmdm.data.header import LARGEST_MATRIX
from napari_pogmdm.data.raw.lines import Encoding
from napari_pogmdm.errors import InputError

LARGEST_PROTOCOL = 64 * 2**20  # bytes; protocols have one or two hundred kilobytes
_MOST_PARTS = 64  # named texts of a protocol; there are six or seven
_LONGEST_NAME = 64  # letters of such a name
_SPINS_2D_INTERPOLATED = 0.5  # share of the transform's length that was acquired, if pixels were doubled

_CALIBRATION = {2: "embedded", 4: "separate", 8: "external"}  # the scanner's numbers for the ways of reference scans
_TRAJECTORY = {1: "cartesian", 2: "radial", 4: "spiral", 8: "propeller"}  # and for the ways through k-space


def split_protocol(text: bytes, name: str) -> dict[str, str]:
    """Take the named texts of a protocol apart.

    Parameters
    ----------
    text
        The header of a measurement, from its first byte on.
    name
        Of the file.
    """
    parts: dict[str, str] = {}
    count = int.from_bytes(text[4:8], "little")
    place = 8
    for _ in range(min(count, _MOST_PARTS)):
        end = text.find(b"\0", place, place + _LONGEST_NAME)
        if end < 0 or end + 5 > len(text):
            raise InputError(f"{name}: its protocol is damaged or cut short; copy the file again.")
        length = int.from_bytes(text[end + 1 : end + 5], "little")
        if end + 5 + length > len(text):
            raise InputError(f"{name}: its protocol is damaged or cut short; copy the file again.")
        title = text[place:end].decode("latin-1")
        parts[title] = text[end + 5 : end + 5 + length].decode("latin-1").rstrip("\0\n ")
        place = end + 5 + length
    return parts


class Protocol:
    """Looks up values by name.

    Parameters
    ----------
    parts
        The protocol's texts, by their names.
    name
        Of the file.
    """

    def __init__(self, parts: Mapping[str, str], name: str) -> None:
        self._list = parts.get("MeasYaps") or parts.get("Phoenix") or ""
        self._trees = [parts.get(part, "") for part in ("Meas", "Dicom", "Config")]
        self.name = name

    def listed(self, key: str) -> str | None:
        """Give the value of a line such as ``sKSpace.lBaseResolution = 256``."""
        found = re.search(rf"^\s*{re.escape(key)}\s*=\s*(.+?)\s*$", self._list, re.MULTILINE)
        return None if found is None else found[1].strip('"')

    def number(self, key: str) -> float | None:
        """Give such a value as a number, also if it is written in hexadecimal."""
        text = self.listed(key)
        if text is None:
            return None
        try:
            value = float(int(text, 16)) if text.lower().startswith("0x") else float(text.split()[0])
        except (ValueError, IndexError, OverflowError):
            return None
        return value if isfinite(value) else None

    def parameter(self, key: str) -> float | None:
        """Give the first number of a parameter such as ``<ParamLong."iPEFTLength"> { 144 }``."""
        for tree in self._trees:
            found = re.search(rf'<Param\w+\."{re.escape(key)}">\s*{{([^{{}}]*)}}', tree)
            if found is None:
                continue
            numbers = re.sub(r"<\w+>\s+\S+", " ", found[1]).split()  # such as <Precision> 16
            try:
                value = float(numbers[0])
            except (ValueError, IndexError):
                continue
            if isfinite(value):
                return value
        return None


def encoding_of(protocol: Protocol, reach: int, lines: int) -> Encoding:
    """Say how a Siemens measurement is encoded, as far as its protocol fits its readouts.

    Parameters
    ----------
    protocol
        Of the measurement.
    reach
        Samples of a readout that is as long on both sides as on the longer one.
    lines
        One more than the largest number of a line.
    """
    base = protocol.number("sKSpace.lBaseResolution") or 0
    oversampling = protocol.parameter("flReadoutOSFactor") or 2.0  # as the product sequences have it
    slice_ = "sSliceArray.asSlice[0]"
    views = [protocol.number(f"{slice_}.{key}") for key in ("dReadoutFOV", "dPhaseFOV", "dThickness")]
    more = [protocol.number(f"sKSpace.d{axis}OversamplingForDialog") or 0.0 for axis in ("Phase", "Slice")]
    length = protocol.parameter("iPEFTLength") or protocol.number("sKSpace.lPhaseEncodingLines") or 0
    if protocol.number("sKSpace.uc2DInterpolation") and length * _SPINS_2D_INTERPOLATED >= lines:
        length *= _SPINS_2D_INTERPOLATED
    if reach == round(base):  # this sequence did not oversample, whatever its protocol says
        oversampling = 1.0
    partitions = protocol.parameter("i3DFTLength") or protocol.number("sKSpace.lPartitions") or 1
    matrix = (round(base * oversampling), round(length), max(1, round(partitions)))
    stated = all(1 <= size <= LARGEST_MATRIX for size in matrix)
    view = None
    if views[0] and views[1] and min(views[0], views[1]) > 0:
        view = (views[0] * oversampling, views[1] * (1 + more[0]), (views[2] or 1.0) * (1 + more[1]))
    trajectory = _TRAJECTORY.get(round(protocol.number("sKSpace.ucTrajectory") or 1), "of an unknown trajectory")
    echo_planar = (protocol.number("sFastImaging.lEPIFactor") or 1) > 1 or (protocol.parameter("alRegridMode") or 1) > 1
    contrast = protocol.listed("tProtocolName")
    return Encoding(
        matrix=matrix if stated else None,
        recon_matrix=None,
        view_mm=view,
        recon_view_mm=None
        if view is None or views[0] is None or views[1] is None
        else (views[0], views[1], views[2] or 1.0),
        trajectory="epi" if echo_planar else trajectory,
        calibration=_CALIBRATION.get(round(protocol.number("sPat.ucRefScanMode") or 0), ""),
        contrast=None if contrast is None else contrast.replace("+AF8-", "_")[:80] or None,  # a line holds no more
        field_strength_tesla=protocol.number("sProtConsistencyInfo.flNominalB0") or protocol.parameter("flNominalB0"),
    )
