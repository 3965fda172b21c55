"""Write ``tests/bits.json`` anew: hashes and block means of the images that ``tests/test_bits.py`` holds.

Run it only for a change that is meant to round differently, in a commit of its own that says so. It prints which cases
have changed, and by how much of their largest block mean.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import typer

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from test_bits import CASES, KNOWN, block_means, digest_of, machine, made_arrays  # noqa: E402


def main() -> None:
    """Make all images again."""
    cases = {}
    for name, case in CASES.items():
        arrays = made_arrays(case())
        blocks = block_means(arrays[0])
        cases[name] = {"sha256": digest_of(arrays), "blocks": [round(float(mean), 6) for mean in blocks.ravel()]}
        known = KNOWN["cases"].get(name)
        if known is None:
            typer.echo(f"{name}: new")
        elif known["sha256"] != cases[name]["sha256"]:
            away = np.abs(blocks.ravel() - known["blocks"]).max() / max(known["blocks"])
            typer.echo(f"{name}: block means differ by up to {away:.1e}")
            continue
        if known is not None:
            cases[name] = known
    (TESTS / "bits.json").write_text(json.dumps(KNOWN | {"machine": machine(), "cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
