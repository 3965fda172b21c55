"""The tables of the page on rivals come from the rows of an evaluation."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "write_rivals_page.py"))


def row(file: str, mask: str, method: str, psnr: float, **rest: object) -> dict[str, object]:
    return {"file": file, "mask": mask, "method": method, "psnr": psnr, **rest}


def test_rows_fill_the_tables_of_the_page_and_nothing_else(tmp_path: Path):
    lines = [
        row("t2/a.npz", "C4/8", "varnet:old.pt", 10.0),
        row("t2/a.npz", "C4/8", "varnet:new.pt", 30.04),
        row("t2/b.npz", "C4/8", "varnet:new.pt", 31.0),
        row("t2/b.npz", "G8", "varnet:new.pt", 20.0),
        row("t2/b.npz", "G8", "cg-sense", 0.0, error="no memory"),
    ]
    (tmp_path / "rows.jsonl").write_text("\n" + "\n".join(map(json.dumps, lines)) + "\n")
    before = (ROOT / "docs" / "rivals.md").read_text(encoding="utf-8")
    page = TOOL["with_tables"](before, TOOL["read_rows"](tmp_path))
    assert "| T2 head | C4/8 | G8 |\n|---|---:|---:|\n| VarNet | 30.5 | 20.0 |\n\n| knee |" in page
    start = before.index("| T2 head |")
    assert page.startswith(before[:start])
    assert page.endswith(before[before.index("| knee |") :])


def test_a_page_without_the_table_is_told():
    with pytest.raises(SystemExit, match="no table 'T2 head'"):
        TOOL["with_tables"]("# A page", [row("t2/a.npz", "C4/8", "varnet", 30.0)])
