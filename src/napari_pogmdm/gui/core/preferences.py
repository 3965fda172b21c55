"""What the window remembers from one day to the next: model, device, coils, preset and recent files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol

from napari_pogmdm.gui.core.loader import Loader
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.recon.defaults import DEFAULT_COILS, DEFAULT_MODEL, DEFAULT_PRESET
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.recon.virtual_coils import AUTO_COILS
from napari_pogmdm.runtime.device import Device

PLUGIN = "napari-pogmdm"
MOST_RECENT = 8  # paths in the menu of recent files, which is still taken in at a glance
_MOST_COILS = 256  # as the manifest says; twice what the largest receive arrays have


@dataclass(frozen=True)
class Remembered:
    """Choices of the last time.

    Attributes
    ----------
    model
        Name of a shipped model, or path of a weight file.
    device
        What was asked for, such as "auto".
    virtual_coils
        To compress to; 0 keeps all, -1 (`AUTO_COILS`) goes by the size of the image.
    preset
        Name of the settings that were used last.
    recent
        Paths of scans that were opened, the newest first.
    """

    model: str = DEFAULT_MODEL.value
    device: str = Device.AUTO.value
    virtual_coils: int = DEFAULT_COILS
    preset: str = DEFAULT_PRESET.value
    recent: tuple[str, ...] = ()


class Store(Protocol):
    """Where choices are kept, as plain values by name; ``recent`` is JSON text."""

    def read(self) -> dict[str, object]:
        """Give what was kept."""
        ...

    def write(self, name: str, value: str | int) -> None:
        """Keep one value."""
        ...


class NapariStore:
    """napari's own settings of this plugin, which are also found in its Preferences.

    A settings file that cannot be read or written is no reason to keep the window closed: the defaults serve.
    """

    def read(self) -> dict[str, object]:
        """Give what napari kept."""
        try:
            return dict(self._section().model_dump())
        except Exception:  # whatever a damaged file or a disabled plugin makes napari raise
            return {}

    def write(self, name: str, value: str | int) -> None:
        """Let napari keep one value."""
        try:
            setattr(self._section(), name, value)
        except Exception:  # the same
            return

    def _section(self) -> Any:
        from napari.settings import get_plugin_settings

        return get_plugin_settings(PLUGIN).remembered


def checked(values: Mapping[str, object]) -> Remembered:
    """Take what makes sense out of stored values, and the defaults for the rest."""
    usual = Remembered()
    coils, device, preset = values.get("virtual_coils"), _text(values.get("device")), _text(values.get("preset"))
    return Remembered(
        model=_text(values.get("model")) or usual.model,
        device=device if device in {*Device} else usual.device,
        virtual_coils=coils if type(coils) is int and AUTO_COILS <= coils <= _MOST_COILS else usual.virtual_coils,
        preset=preset if preset in PRESETS else usual.preset,
        recent=_paths(values.get("recent")),
    )


def with_recent(recent: Sequence[str], path: str) -> tuple[str, ...]:
    """Put a path in front of the recent ones, once, and forget the oldest beyond eight."""
    return (path, *(other for other in recent if other != path))[:MOST_RECENT]


class Preferences:
    """Gives a session the choices of the last time, and keeps the new ones.

    Parameters
    ----------
    session
        Whose choices are kept.
    loader
        Loads the model, and chooses the device, of the last time.
    store
        Where they are kept.

    Attributes
    ----------
    paused
        Nothing is kept for now, because it is a lesson that chooses.
    """

    def __init__(self, session: Session, loader: Loader, store: Store) -> None:
        self._session = session
        self.paused = False
        self._store = store
        self._kept = checked(store.read())
        session.virtual_coils = self._kept.virtual_coils
        session.settings = PRESETS[self._kept.preset]
        session.recent = self._kept.recent
        loader.choose_device(self._kept.device)
        loader.load_model(self._kept.model, otherwise=DEFAULT_MODEL)
        session.events.scan.connect(self._scan)
        session.events.prior.connect(self._prior)
        for event in (
            session.events.device_request,
            session.events.virtual_coils,
            session.events.settings,
            session.events.recent,
        ):
            event.connect(self._keep)

    def _scan(self) -> None:
        scan = self._session.scan
        path = getattr(scan, "path", None)
        if isinstance(path, Path) and not self.paused and not getattr(scan, "known_as", None):
            self._session.recent = with_recent(self._session.recent, str(path.resolve()))

    def _prior(self) -> None:
        """Keep the model, unless it came with the recording that is open."""
        prior, recording = self._session.prior, self._session.recording
        source = self._kept.model if prior is None else str(prior.information.get("source", self._kept.model))
        if recording is None or source != recording.facts.model:
            self._write(model=source)

    def _keep(self) -> None:
        session = self._session
        self._write(
            device=session.device_request,
            virtual_coils=session.virtual_coils,
            preset=next((name for name, usual in PRESETS.items() if usual == session.settings), self._kept.preset),
            recent=session.recent,
        )

    def _write(self, **chosen: Any) -> None:
        if self.paused:
            return
        before, self._kept = self._kept, replace(self._kept, **chosen)
        for field in fields(Remembered):
            value = getattr(self._kept, field.name)
            if value != getattr(before, field.name):
                self._store.write(field.name, json.dumps(value) if field.name == "recent" else value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _paths(value: object) -> tuple[str, ...]:
    try:
        found = json.loads(_text(value) or "[]")
    except ValueError:
        return ()
    paths = found if isinstance(found, list) else []
    return tuple(path for path in paths if isinstance(path, str) and Path(path).suffix)[:MOST_RECENT]
