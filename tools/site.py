"""What the documentation site has beside the pages in `docs`: made while it is built, by `make docs`.

The documents at the top of the project become pages, the public names and all commands a reference, the examples a
gallery with what they print. Links that lead out of `docs` are turned to those pages.
"""

from __future__ import annotations

import ast
import os
import posixpath
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from napari_pogmdm.cli.main import app

ROOT = Path(__file__).parent.parent
AT_THE_TOP = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "ROADMAP.md": "roadmap.md",
}
"""Documents of the project, and what their pages are called."""
NEEDS_A_DISPLAY = {"open_a_dock.py"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    made = {page: (ROOT / name).read_text() for name, page in AT_THE_TOP.items()}
    made |= {"python.md": python_reference(), "commands.md": command_reference(), "gallery.md": gallery()}
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the links of a page to pages of the site; what the site does not have is named without a link."""
    source = page.file.src_uri
    origin = next((name for name, made in AT_THE_TOP.items() if made == source), f"docs/{source}")

    def turned(match: re.Match[str]) -> str:
        picture, text, target = match.groups()
        address, hash_mark, anchor = target.partition("#")
        if not address or ":" in address:
            return match[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(origin), address))
        if place.startswith("docs/") and place != "docs/README.md":
            found = place.removeprefix("docs/")
        elif place.rstrip("/") == "examples":
            found = "gallery.md"
        elif place in {*AT_THE_TOP, "docs/README.md"}:
            found = AT_THE_TOP.get(place, "index.md")
        else:
            return text
        return f"{picture}[{text}]({posixpath.relpath(found, posixpath.dirname(source) or '.')}{hash_mark}{anchor})"

    return LINK.sub(turned, markdown)


def python_reference() -> str:
    """List what `__init__.pyi` promises, each with its docstring, by where it comes from."""
    rooms: dict[str, list[str]] = {}
    for node in ast.parse((ROOT / "src" / "napari_pogmdm" / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                rooms.setdefault(node.module.partition(".")[0], []).append(f"napari_pogmdm.{node.module}.{alias.name}")
    lines = ["# Python", "", "Everything below is available after `import napari_pogmdm as pg`.", ""]
    for names in rooms.values():
        for name in sorted(names, key=lambda full: full.rpartition(".")[2].lower()):
            lines += [f"::: {name}", ""]
    return "\n".join(lines)


def command_reference() -> str:
    """Write all commands with their arguments and options, as `--help` has them."""
    group: Any = typer.main.get_command(app)
    lines = ["# Commands", "", "What `napari-pogmdm COMMAND --help` prints, on one page.", ""]
    for name, command in _commands(group, "napari-pogmdm"):
        context = typer.Context(command, info_name=name)
        lines += [f"## {name}", "", (command.help or "").strip(), "", f"`{name} {_usage(command, context)}`", ""]
        rows = [row for parameter in command.params if (row := _row(parameter, context))]
        if rows:
            lines += ["| | meaning |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        full = f"{prefix} {name}"
        if hasattr(command, "commands"):
            yield from _commands(command, full)
        else:
            yield full, command


def _usage(command: Any, context: typer.Context) -> str:
    return " ".join(command.collect_usage_pieces(context))


def _row(parameter: Any, context: typer.Context) -> str:
    if parameter.name == "help":
        return ""
    record = parameter.get_help_record(context)
    if record is None:
        return ""
    names, meaning = (part.replace("|", "\\|").replace("\n", " ").strip() for part in record)
    return f"| `{names}` | {meaning} |"


def gallery() -> str:
    """Run the examples, and show each with what it printed."""
    lines = ["# Gallery", "", "Short scripts to start from, run when this page was built; they are in `examples`.", ""]
    for path in sorted((ROOT / "examples").glob("*.py")):
        tree = ast.parse(path.read_text())
        summary = (ast.get_docstring(tree) or "").partition("\n")[0]
        lines += [f"## {path.stem.replace('_', ' ').capitalize()}", "", summary, ""]
        lines += ["```python", path.read_text().split('"""', 2)[2].strip(), "```", ""]
        if path.name not in NEEDS_A_DISPLAY:
            lines += ["prints", "", "```text", _printed(path), "```", ""]
    return "\n".join(lines)


def _printed(example: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(  # noqa: S603  our own scripts
            [sys.executable, str(example)],
            cwd=folder,
            env={**os.environ, "MPLBACKEND": "agg"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{example.name} failed:\n{done.stderr}")
    return done.stdout.strip()
