"""Doing a recorded run again: here, in a terminal, or in a script."""

from __future__ import annotations

import shlex
from dataclasses import asdict, fields
from pathlib import Path

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.record import mask_from_record
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.coils.given import CoilMaps, load_coil_maps
from napari_pogmdm.recon.measurement import Measurement, Preparation, undersample
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.result import Reconstruction, reconstruct, settings_of
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.recon.sampler.sample import sample
from napari_pogmdm.recon.sampler.setting_text import differences
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.stepper import Cancelled, Progress


def repeat(
    record: RunRecord,
    source: str | None = None,
    *,
    device: str = "cpu",
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Reconstruction:
    """Run again what a record describes, or the same on another scan; the same kind of device gives the same bits."""
    measurement = measure_again(record, source, device)
    if record.method != "pogmdm":
        values = settings_of(record.method, record.settings)
        return reconstruct(measurement, record.method, values, progress=progress, cancelled=cancelled)
    model, chains, seed = sampler_of(record)
    settings = SamplerSettings.from_dict(record.settings)
    return sample(
        measurement,
        load_prior(model),
        settings,
        chains=chains,
        seed=seed,
        changes=changes_of(record),
        maps=maps_of(record),
        stop_after=stop_of(record, settings),
        progress=progress,
        cancelled=cancelled,
    )


def measure_again(record: RunRecord, source: str | None = None, device: str = "cpu") -> Measurement:
    """Read the recorded slice, or that of another scan, and undersample it as it was."""
    acquisition = open_scan(source or scan_of(record))[slice_of(record)]
    mask = mask_from_record(record.mask, acquisition.shape)
    return undersample(acquisition, mask, **asdict(preparation_of(record)), device=device)


def scan_of(record: RunRecord) -> str:
    """Say what `open_scan` takes to open the recorded scan."""
    scan = record.scan.get("scan")
    if not isinstance(scan, str) or not scan:
        raise InputError(f"record: does not say where {record.source!r} can be read again; name the scan.")
    return scan


def slice_of(record: RunRecord) -> int:
    """Give the index of the recorded slice."""
    return _count(record.scan.get("index", 0), "index")


def preparation_of(record: RunRecord) -> Preparation:
    """Read how the samples were prepared."""
    found = record.preparation
    names = {field.name for field in fields(Preparation)}
    flags = [found.get(name) for name in ("prewhiten", "exclude_padding", "noise_floor")]
    coils = found.get("coils")
    if set(found) - names or any(flag not in {None, True, False} for flag in flags):
        raise InputError(f"record: preparation is not laid out as {', '.join(sorted(names))}.")
    return Preparation(coils and _count(coils, "coils"), bool(flags[0]), bool(flags[1]), flags[2])


def sampler_of(record: RunRecord) -> tuple[str, int, int]:
    """Read model, chains and first seed."""
    facts = record.sampler
    return str(facts.get("model", "")), _count(facts.get("chains", 1), "chains"), _count(facts.get("seed", 0), "seed")


def changes_of(record: RunRecord) -> tuple[Change, ...]:
    """Read the settings that were changed on the way."""
    return tuple(Change.from_dict(change) for change in record.changes)


def maps_of(record: RunRecord) -> CoilMaps | None:
    """Read the coils that were given again, if there were any."""
    file = record.sampler.get("coil_maps")
    if file is None:
        return None
    maps = load_coil_maps(Path(str(file)))
    if maps.sha256 != record.sampler.get("coil_maps_sha256"):
        raise InputError(f"record: {file} no longer holds the coil maps of the run; name them with --coil-maps.")
    return maps


def stop_of(record: RunRecord, settings: SamplerSettings) -> int | None:
    """Say after how many iterations a run was left whose first chain was not done yet."""
    steps = _count(record.steps, "steps")
    unfinished = record.stopped and record.method == "pogmdm" and sampler_of(record)[1] == 1
    return steps if unfinished and 0 < steps < len(settings.levels()) - 1 else None


def nearest_preset(settings: SamplerSettings) -> tuple[str, list[str]]:
    """Name the preset that needs the fewest values changed to become these settings, and those values."""
    ways = {name: differences(settings, usual) for name, usual in PRESETS.items()}
    name = min(ways, key=lambda candidate: len(ways[candidate]))
    return name, ways[name]


def command_line(record: RunRecord, path: Path | None = None, output: str = "result.h5") -> str:
    """Write the terminal command that repeats a run.

    Parameters
    ----------
    path
        Where the record is saved. A run whose mask was drawn or loaded, whose settings were changed on the way, or
        that was stopped, cannot be told in options: its command reads this file.
    """
    if needs_file(record):
        return shlex.join(["napari-pogmdm", "reconstruct", "--settings", str(path or "run.json"), "-o", output])
    words = ["napari-pogmdm", "reconstruct", scan_of(record), "--slice", str(slice_of(record))]
    words += ["--method", record.method]
    if record.method == "pogmdm":
        model, chains, seed = sampler_of(record)
        preset, values = nearest_preset(SamplerSettings.from_dict(record.settings))
        words += ["--model", model, "--preset", preset, "--chains", str(chains), "--seed", str(seed)]
        words += ["--coil-maps", str(record.sampler["coil_maps"])] if "coil_maps" in record.sampler else []
    else:
        values = _values(record)
    words += [word for value in values for word in ("--set", value)]
    options = {
        "--mask": "kind",
        "--acceleration": "asked_acceleration",
        "--acs": "centre_fraction",
        "--mask-seed": "seed",
        "--axis": "axis",
    }
    given = {option: record.mask.get(name) for option, name in options.items()}
    words += [word for option, value in given.items() if value is not None for word in (option, str(value))]
    preparation = preparation_of(record)
    words += ["--coils", str(preparation.coils or 0)]
    words += ["--prewhiten"] * preparation.prewhiten + ["--exclude-padding"] * preparation.exclude_padding
    if preparation.noise_floor is not None:
        words += ["--noise-floor" if preparation.noise_floor else "--no-noise-floor"]
    return shlex.join([*words, "--device", record.device.split(":")[0], "-o", output])


def python_code(record: RunRecord, path: Path | None = None) -> str:
    """Write the Python script that repeats a run and leaves it in ``result``; for ``path`` see `command_line`."""
    device = record.device.split(":")[0]
    if needs_file(record):
        where = str(path or "run.json")
        return (
            "from pathlib import Path\n\nfrom napari_pogmdm import read_records, repeat\n\n"
            f"result = repeat(read_records(Path({where!r}))[0], device={device!r})\n"
        )
    head = ""
    mask = {"acceleration": "asked_acceleration", "centre_fraction": "centre_fraction", "seed": "seed", "axis": "axis"}
    chosen = {option: record.mask.get(name) for option, name in mask.items()}
    arguments = "".join(f", {option}={value!r}" for option, value in chosen.items() if value is not None)
    own = record.mask.get("kind") == "file"
    prepared = {**asdict(preparation_of(record)), "device": device}
    lines = [
        f"scan = open_scan({scan_of(record)!r})[{slice_of(record)}]",
        "mask = file_mask(scan)" if own else f"mask = make_mask({record.mask['kind']!r}, scan.shape{arguments})",
        f"measurement = undersample(scan, mask, {', '.join(f'{name}={value!r}' for name, value in prepared.items())})",
    ]
    names = {"open_scan", "undersample", "file_mask" if own else "make_mask"}
    if record.method == "pogmdm":
        model, chains, seed = sampler_of(record)
        preset, values = nearest_preset(SamplerSettings.from_dict(record.settings))
        settings = f"preset({preset!r})"
        lines.append(f"settings = with_values({settings}, {values!r})" if values else f"settings = {settings}")
        maps = record.sampler.get("coil_maps")
        given = "" if maps is None else f", maps=load_coil_maps(Path({maps!r}))"
        options = f"chains={chains}, seed={seed}{given}"
        lines.append(f"result = sample(measurement, load_prior({model!r}), settings, {options})")
        names |= {"load_prior", "preset", "sample"} | ({"with_values"} if values else set())
        if maps is not None:
            head = "from pathlib import Path\n\n"
            names.add("load_coil_maps")
    else:
        settings = f"settings_of({record.method!r}, {record.settings!r})"
        lines.append(f"result = reconstruct(measurement, {record.method!r}, {settings})")
        names |= {"reconstruct", "settings_of"}
    return f"{head}from napari_pogmdm import {', '.join(sorted(names))}\n\n" + "\n".join(lines) + "\n"


def needs_file(record: RunRecord) -> bool:
    """Whether options cannot tell the run: it was stopped, its mask drawn or loaded, or its settings changed."""
    own = record.mask.get("kind") == "file" and not record.mask.get("edits")
    stopped = record.method == "pogmdm" and stop_of(record, SamplerSettings.from_dict(record.settings)) is not None
    return bool(record.changes) or stopped or (record.mask.get("samples") is not None and not own)


def _values(record: RunRecord) -> list[str]:
    settings, usual = settings_of(record.method, record.settings), settings_of(record.method)
    return [] if settings is None or usual is None else differences(settings, usual)


def _count(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"record: {name} is {value!r}, which is not a whole number from 0.")
    return value
