from __future__ import annotations

import json
import time
from importlib.resources import as_file, files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from npe2 import PluginManifest

from napari_pogmdm.gui.core.loader import Loader
from napari_pogmdm.gui.core.preferences import MOST_RECENT, Preferences, Remembered, checked, with_recent
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.virtual_coils import AUTO_COILS


class MemoryStore:
    def __init__(self, **values: Any) -> None:
        self.values = values

    def read(self) -> dict[str, Any]:
        return dict(self.values)

    def write(self, name: str, value: str | int) -> None:
        self.values[name] = value


class Room:
    """A session with its background and its memory, as the window has them."""

    def __init__(self, store: MemoryStore) -> None:
        self.session = Session()
        self.told: list[str] = []
        self.loader = Loader(self.session, lambda notice: self.told.append(notice.text))
        self.preferences = Preferences(self.session, self.loader, store)

    def settle(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            self.loader.deliver()
            if self.session.prior is not None and not self.loader.busy:
                self.loader.deliver()
                return
            time.sleep(0.01)
        raise AssertionError("the background did not finish")


@pytest.fixture
def enter():
    rooms: list[Room] = []

    def make(store: MemoryStore) -> Room:
        room = Room(store)
        rooms.append(room)
        room.settle()
        return room

    yield make
    for room in rooms:
        room.loader.close()


def test_recent_files_are_bounded_and_the_newest_comes_first():
    recent: tuple[str, ...] = ()
    for number in [*range(12), 7]:
        recent = with_recent(recent, f"{number}.h5")
    assert recent[:3] == ("7.h5", "11.h5", "10.h5")
    assert len(recent) == MOST_RECENT
    assert len(set(recent)) == len(recent)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"model": 3, "device": "toaster", "virtual_coils": "many", "preset": "best", "recent": "{"},
        {"virtual_coils": -2, "recent": '{"a": 1}'},
        {"virtual_coils": True, "device": None, "recent": "[1, 2]"},
        {},
    ],
)
def test_nonsense_in_the_settings_gives_way_to_the_defaults(nonsense):
    assert checked(nonsense) == Remembered()


def test_the_first_time_brings_the_defaults(enter):
    room = enter(MemoryStore())
    assert room.session.prior.name == DEFAULT_MODEL
    assert room.session.device_request == "auto"
    assert room.session.device_reason
    assert room.session.virtual_coils == AUTO_COILS


def test_the_manifest_has_the_same_defaults():
    with as_file(files("napari_pogmdm") / "napari.yaml") as path:
        section = PluginManifest.from_file(path).contributions.configurations["remembered"]
    defaults = {name: one.default for name, one in section.properties.items()}
    assert Remembered(**{**defaults, "recent": tuple(json.loads(defaults["recent"]))}) == Remembered()


def test_a_model_that_comes_with_a_recording_is_not_the_one_of_the_next_time(enter):
    store = MemoryStore()
    room = enter(store)
    room.session.recording = SimpleNamespace(facts=SimpleNamespace(model="sh-1"))
    room.loader.load_model("sh-1")
    room.settle()
    room.session.recording = None
    room.session.settings = preset("fast")
    assert room.session.prior.name == "sh-1"
    assert "model" not in store.values
    assert store.values["preset"] == "fast"
    room.loader.load_model("flf")
    room.settle()
    assert store.values["model"] == "flf"


def test_choices_come_back(enter, fastmri_file):
    store = MemoryStore()
    first = enter(store)
    first.session.virtual_coils = 3
    first.session.settings = preset("fast")
    first.loader.choose_device("cpu")
    first.loader.load_model("flf")
    path = fastmri_file()
    first.loader.open(path)
    first.settle()

    second = enter(store)
    assert second.session.prior.name == "flf"
    assert second.session.device_request == "cpu"
    assert second.session.virtual_coils == 3
    assert second.session.settings == preset("fast")
    assert second.session.recent == (str(path.resolve()),)


def test_bundled_scans_are_not_recent_files(enter):
    store = MemoryStore()
    room = enter(store)
    room.loader.open("demo")
    room.settle()
    assert room.session.scan is not None
    assert json.loads(store.values.get("recent", "[]")) == []


def test_a_model_that_is_gone_gives_way_to_the_default_one(enter, tmp_path: Path):
    room = enter(MemoryStore(model=str(tmp_path / "mine.safetensors")))
    assert room.session.prior.name == DEFAULT_MODEL
    assert len(room.told) == 1
    assert f"{DEFAULT_MODEL} is used instead" in room.told[0]


def test_a_device_that_is_not_there_gives_way_to_the_best_one(enter, monkeypatch):
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: False)
    room = enter(MemoryStore(device="mps"))
    assert room.session.device_request == "auto"
    assert len(room.told) == 1
    assert "mps is not available" in room.told[0]


def test_settings_that_are_no_preset_leave_the_remembered_one(enter):
    from dataclasses import replace

    store = MemoryStore(preset="fast")
    room = enter(store)
    room.session.settings = replace(preset("fast"), iterations=3)
    assert store.values["preset"] == "fast"
