"""Write ``tests/bits.json`` anew: hashes and block means of the images that ``tests/test_bits.py`` holds.

    python tools/write_bits.py                              # all cases, and the machine that they are of
    python tools/write_bits.py "fast, model flf-tc"         # one case alone, such as that of a new model

Run it only for a change that is meant to round differently, in a commit of its own that says so. It prints which cases
have changed, and by how much of their largest block mean. Single cases have no hash where the others are of another
machine.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from test_bits import CASES, KNOWN, block_means, digest_of, machine, made_arrays  # noqa: E402


def main(names: Annotated[list[str] | None, typer.Argument(help="Cases to write; all unless given.")] = None) -> None:
    """Make the images again."""
    here = machine()
    made = {name: make(name, hashed=not names or here == KNOWN["machine"]) for name in names or CASES}
    cases = {name: (KNOWN["cases"] | made)[name] for name in CASES if name in made or name in KNOWN["cases"]}
    known = KNOWN | {"machine": KNOWN["machine"] if names else here, "cases": cases}
    (TESTS / "bits.json").write_text(json.dumps(known, indent=1) + "\n")


def make(name: str, *, hashed: bool) -> dict[str, Any]:
    """Make an image, say whether it has changed, and give what is to be known of it."""
    arrays, known = made_arrays(CASES[name]()), KNOWN["cases"].get(name)
    blocks = block_means(arrays[0]).ravel()
    found: dict[str, Any] = {"sha256": digest_of(arrays)} if hashed else {}
    found["blocks"] = [round(float(mean), 6) for mean in blocks]
    if known is None:
        typer.echo(f"{name}: new")
    elif hashed and known.get("sha256") == found["sha256"]:
        return known
    else:
        away = np.abs(blocks - known["blocks"]).max() / max(known["blocks"])
        typer.echo(f"{name}: block means differ by up to {away:.1e}")
    return found


if __name__ == "__main__":
    typer.run(main)
