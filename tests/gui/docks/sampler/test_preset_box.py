from __future__ import annotations

import re
from pathlib import Path

import pytest

from napari_pogmdm.gui.docks.sampler.dock import SamplerDock
from napari_pogmdm.recon.sampler.presets import PRESETS

PAGE = Path(__file__).parents[4] / "docs" / "uncertainty.md"


@pytest.fixture
def dock(small) -> SamplerDock:
    dock = SamplerDock(small.viewer)
    small.viewer.window.add_dock_widget(dock, name="Sampler")
    return dock


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


def test_presets_of_the_printed_algorithm_say_why_they_are_where_they_are(dock):
    box = dock.presets
    explained = []
    for name in PRESETS:
        box.preset.setCurrentText(name)
        if not box.remark.isHidden():
            explained.append(name)
            assert 'href="uncertainty"' in box.remark.text()
    assert sorted(explained) == ["paper", "paper-tuned"]


def test_the_figures_of_the_remarks_are_those_of_the_page(dock):
    box, page = dock.presets, PAGE.read_text(encoding="utf-8")
    sentence = re.search(r"On the measured head .*? 36\.29", page)
    assert sentence is not None
    paper, unit = (numbers(sentence[0])[first : first + 2] for first in (0, 2))
    default = numbers(sentence[0])[4:]
    box.preset.setCurrentText("paper")
    below = [best - own for best, own in zip(default, paper, strict=True)]
    gained = [new - own for new, own in zip(unit, paper, strict=True)]
    assert numbers(box.remark.text()) == pytest.approx([*below, *gained], abs=0.051)
    rows = {row.split("|")[1].strip(): float(row.split("|")[2]) for row in page.splitlines() if _is_ablation(row)}
    tuned = rows["free parameters tuned (paper-tuned)"]
    expected = [tuned - rows["paper, as printed"], rows["settings that the data choose (posterior)"] - tuned]
    box.preset.setCurrentText("paper-tuned")
    assert numbers(box.remark.text()) == pytest.approx(expected, abs=0.051)


def _is_ablation(row: str) -> bool:
    return re.fullmatch(r"\| [^|]+ \| \d+\.\d+ \| \d+\.\d+ \| \d+ / \d+ % \|", row) is not None
