"""Puts the pages of the documentation into the wheel, without their pictures: the window opens them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface[Any]):
    """Called by hatchling when it builds a wheel; an editable installation finds the pages in the repository."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to take along."""
        if version == "editable":
            return
        docs = Path(self.root) / "docs"
        for page in sorted(docs.rglob("*.md")):
            build_data["force_include"][str(page)] = f"napari_pogmdm/docs/{page.relative_to(docs).as_posix()}"
