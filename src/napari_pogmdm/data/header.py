"""The ISMRMRD header (XML) inside fastMRI files: parsed without trusting it, and written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from xml.etree.ElementTree import Element, ParseError, SubElement, tostring

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from napari_pogmdm.data.acquisition import Header
from napari_pogmdm.errors import InputError

NAMESPACE = "http://www.ismrm.org/ISMRMRD"
LARGEST_HEADER = 4 * 1024 * 1024  # bytes; headers have some kB, and what is parsed should be bounded
LARGEST_MATRIX = 65_536  # samples; the schema stores sizes and steps as 16-bit numbers

Number = TypeVar("Number", int, float)


def parse_header(text: bytes | str, source: str, contrast: str | None = None) -> Header:
    """Read the facts the project uses from an ISMRMRD XML document.

    Entities are never expanded and external documents never fetched. What the document leaves out stays ``None``;
    what it states must make sense.
    """
    root = header_root(text, source)
    read = _Reader(root, source)
    return Header(
        encoded_matrix=read.matrix("encodedSpace"),
        recon_matrix=read.matrix("reconSpace"),
        encoded_field_of_view_mm=read.field_of_view("encodedSpace"),
        recon_field_of_view_mm=read.field_of_view("reconSpace"),
        phase_centre=read.number("encoding/encodingLimits/kspace_encoding_step_1/center", int, 0, LARGEST_MATRIX),
        phase_last=read.number("encoding/encodingLimits/kspace_encoding_step_1/maximum", int, 0, LARGEST_MATRIX),
        contrast=contrast,
        field_strength_tesla=read.number("acquisitionSystemInformation/systemFieldStrength_T", float, 0.001, 100.0),
    )


def header_root(text: bytes | str, source: str) -> Element:
    """Parse an ISMRMRD XML document; entities are never expanded and external documents never fetched."""
    if len(text) > LARGEST_HEADER:
        raise InputError(f"{source}: the ismrmrd_header is larger than 4 MiB; export the file again without it.")
    try:
        root = ElementTree.fromstring(text, forbid_dtd=True)
    except DefusedXmlException as error:
        raise InputError(
            f"{source}: the ismrmrd_header declares document types or entities, which are refused; remove them."
        ) from error
    except (ParseError, ValueError, LookupError) as error:
        raise InputError(f"{source}: the ismrmrd_header is not well-formed XML ({error}); export it again.") from error
    return root


class _Reader:
    """Looks up slash-separated paths in the ISMRMRD namespace and checks the numbers found there."""

    def __init__(self, root: Element, source: str) -> None:
        self._root = root
        self._source = source

    def number(self, path: str, kind: Callable[[str], Number], low: Number, high: Number) -> Number | None:
        text = self._root.findtext("/".join(f"{{{NAMESPACE}}}{part}" for part in path.split("/")))
        if text is None:
            return None
        try:
            value = kind(text.strip())
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise InputError(
                f"{self._source}: the ismrmrd_header gives {text.strip()[:40]!r} for {path.split('/')[-1]}, "
                f"expected a number from {low} to {high}; correct the header or remove it."
            )
        return value

    def matrix(self, space: str) -> tuple[int, int] | None:
        rows = self.number(f"encoding/{space}/matrixSize/x", int, 1, LARGEST_MATRIX)
        columns = self.number(f"encoding/{space}/matrixSize/y", int, 1, LARGEST_MATRIX)
        return None if rows is None or columns is None else (rows, columns)

    def field_of_view(self, space: str) -> tuple[float, float] | None:
        rows = self.number(f"encoding/{space}/fieldOfView_mm/x", float, 1e-3, 1e5)
        columns = self.number(f"encoding/{space}/fieldOfView_mm/y", float, 1e-3, 1e5)
        return None if rows is None or columns is None else (rows, columns)


def write_header(header: Header) -> bytes:
    """Write the facts of ``header`` as an ISMRMRD document that `parse_header` reads back."""
    root = Element("ismrmrdHeader", xmlns=NAMESPACE)
    if header.field_strength_tesla is not None:
        system = SubElement(root, "acquisitionSystemInformation")
        SubElement(system, "systemFieldStrength_T").text = str(header.field_strength_tesla)
    encoding = SubElement(root, "encoding")
    spaces = (
        ("encodedSpace", header.encoded_matrix, header.encoded_field_of_view_mm),
        ("reconSpace", header.recon_matrix, header.recon_field_of_view_mm),
    )
    for name, matrix, field_of_view in spaces:
        space = SubElement(encoding, name)
        for element, values in (("matrixSize", matrix), ("fieldOfView_mm", field_of_view)):
            if values is not None:
                parent = SubElement(space, element)
                for axis, value in zip("xyz", (*values, 1), strict=True):
                    SubElement(parent, axis).text = str(value)
    if header.phase_centre is not None and header.phase_last is not None:
        step = SubElement(SubElement(encoding, "encodingLimits"), "kspace_encoding_step_1")
        for element, value in (("minimum", 0), ("maximum", header.phase_last), ("center", header.phase_centre)):
            SubElement(step, element).text = str(value)
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True))
