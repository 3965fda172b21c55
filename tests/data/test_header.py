from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.headers import FULL
from napari_pogmdm.data.acquisition import Header
from napari_pogmdm.data.header import parse_header, write_header
from napari_pogmdm.errors import InputError


@pytest.mark.parametrize("header", [FULL, Header(), Header(recon_matrix=(5, 7))])
def test_what_is_written_is_read_back(header):
    assert parse_header(write_header(header), "file") == header


def test_an_entity_bomb_is_refused_without_being_expanded():
    bomb = b"""<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "ha"><!ENTITY c "&a;&a;&a;&a;&a;&a;&a;&a;">]><b>&c;</b>"""
    with pytest.raises(InputError, match=r"scan\.h5.*entities.*refused"):
        parse_header(bomb, "scan.h5")


def test_external_entities_are_refused():
    leak = b"""<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><r>&x;</r>"""
    with pytest.raises(InputError, match="refused"):
        parse_header(leak, "scan.h5")


@pytest.mark.parametrize(
    "text", [b"", b"\x00\xff", b"<a>", "plain words", b"<?xml version='1.0' encoding='none'?><a/>"]
)
def test_malformed_documents_are_named(text):
    with pytest.raises(InputError, match="not well-formed"):
        parse_header(text, "scan.h5")


@pytest.mark.parametrize(
    ("old", "new"), [("640", "many"), ("640", "0"), ("640", "-3"), ("640", "9999999"), ("168", "1.5")]
)
def test_numbers_that_make_no_sense_are_named(old, new):
    text = write_header(FULL).decode().replace(f">{old}<", f">{new}<")
    with pytest.raises(InputError, match=rf"{new!r} for \w+, expected a number"):
        parse_header(text.encode(), "scan.h5")


def test_an_oversized_document_is_refused():
    with pytest.raises(InputError, match="larger than 4 MiB"):
        parse_header(b"<a>" + b" " * 5_000_000 + b"</a>", "scan.h5")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)))
def test_any_text_as_header_is_read_or_refused(text):
    try:
        header = parse_header(text, "scan.h5")
    except InputError as error:
        assert "scan.h5" in str(error)
    else:
        assert header.encoded_matrix is None or min(header.encoded_matrix) >= 1
