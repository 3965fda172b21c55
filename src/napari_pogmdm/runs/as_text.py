"""A recorded run as text: the terminal command, or the Python script, that repeats it."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path

from napari_pogmdm.physics.masks.names import OWN
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.methods import settings_of
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.runs.repeat import preparation_of, reading_of, rival_of, sampler_of, scan_of, slice_of, stop_of
from napari_pogmdm.setting_text import differences

_MASK_OPTIONS = ("--mask", "--acceleration", "--acs", "--mask-seed", "--axis")
_MASK_FACTS = ("kind", "asked_acceleration", "centre_fraction", "seed", "axis")


def nearest_preset(settings: SamplerSettings) -> tuple[str, list[str]]:
    """Name the preset that needs the fewest values changed to become these settings, and those values."""
    ways = {name: differences(settings, usual) for name, usual in PRESETS.items()}
    name = min(ways, key=lambda candidate: len(ways[candidate]))
    return name, ways[name]


def command_line(record: RunRecord, path: Path | None = None, output: str = "result.h5") -> str:
    """Write the terminal command that repeats a run.

    Parameters
    ----------
    record
        Of the run.
    path
        Where the record is saved. A run whose mask was drawn or loaded, whose settings were changed on the way, or
        that was stopped, cannot be told in options: its command reads this file.
    output
        File that the command writes.
    """
    if needs_file(record):
        return shlex.join(["napari-pogmdm", "reconstruct", "--settings", str(path or "run.json"), "-o", output])
    words = ["napari-pogmdm", "reconstruct", scan_of(record), "--slice", str(slice_of(record))]
    read = {"axes": "--axes", "key": "--key", "trajectory": "--trajectory-file", "matrix": "--matrix"}
    words += [word for name, value in reading_of(record).to_dict().items() for word in (read[name], value)]
    words += ["--method", record.method]
    if record.method == Method.POGMDM:
        model, chains, seed = sampler_of(record)
        preset, values = nearest_preset(SamplerSettings.from_dict(record.settings))
        words += ["--model", model, "--preset", preset, "--chains", str(chains), "--seed", str(seed)]
        words += ["--coil-maps", str(record.sampler["coil_maps"])] if "coil_maps" in record.sampler else []
    else:
        values = _values(record)
        words += [word for name, value in rival_of(record).items() for word in (f"--{name}", str(value))]
    words += [word for value in values for word in ("--set", value)]
    words += [word for option, value in _sampling_options(record).items() for word in (option, str(value))]
    preparation = preparation_of(record)
    words += ["--coils", str(preparation.coils or 0)]
    words += ["--prewhiten"] * preparation.prewhiten + ["--exclude-padding"] * preparation.exclude_padding
    if preparation.noise_floor is not None:
        words += ["--noise-floor" if preparation.noise_floor else "--no-noise-floor"]
    return shlex.join([*words, "--device", record.device.split(":")[0], "-o", output])


def _sampling_options(record: RunRecord) -> dict[str, object]:
    """Give the options of the terminal that make the mask or the trajectory; one that the scan brings needs none."""
    if record.trajectory:
        facts, options = record.trajectory, {"--trajectory": "kind", "--spokes": "readouts"}
        if facts.get("kind") == OWN:
            return {}
    else:
        facts, options = record.mask, dict(zip(_MASK_OPTIONS, _MASK_FACTS, strict=True))
    return {option: facts[name] for option, name in options.items() if facts.get(name) is not None}


def python_code(record: RunRecord, path: Path | None = None) -> str:
    """Write the Python script that repeats a run and leaves it in ``result``; for ``path`` see `command_line`."""
    device = record.device.split(":")[0]
    if needs_file(record):
        where = str(path or "run.json")
        return f"import napari_pogmdm as pg\n\nresult = pg.repeat(pg.read_records({where!r})[0], device={device!r})\n"
    prepared = {**asdict(preparation_of(record)), "device": device}
    read = [_arguments({name: value}) for name, value in reading_of(record).to_dict().items()]
    lines = [
        f"scan = pg.open_scan({', '.join((repr(scan_of(record)), *read))})[{slice_of(record)}]",
        *_sampling_code(record),
        f"y = pg.measure(scan, {_word(record)}={_word(record)}, {_arguments(prepared)})",
        f"result = pg.reconstruct(y, {_arguments(_method_options(record))})",
    ]
    return "import napari_pogmdm as pg\n\n" + "\n".join(lines) + "\n"


def _word(record: RunRecord) -> str:
    return "trajectory" if record.trajectory else "mask"


def _sampling_code(record: RunRecord) -> list[str]:
    facts = record.trajectory
    if not facts:
        return [f"mask = {_mask_code(record)}"]
    if facts.get("kind") == OWN:
        return ["trajectory = pg.own_trajectory(scan)"]
    options = _arguments({"readouts": facts.get("readouts"), "oversampling": facts.get("oversampling")})
    return [f"trajectory = pg.make_trajectory({facts['kind']!r}, scan.shape, {options})"]


def _mask_code(record: RunRecord) -> str:
    if record.mask.get("kind") == OWN:
        return "pg.file_mask(scan)"
    names = {"acceleration": "asked_acceleration", "centre_fraction": "centre_fraction", "seed": "seed", "axis": "axis"}
    chosen = {option: record.mask.get(name) for option, name in names.items()}
    options = _arguments({option: value for option, value in chosen.items() if value is not None})
    return f"pg.make_mask({record.mask['kind']!r}, scan.shape{options and ', '}{options})"


def _method_options(record: RunRecord) -> dict[str, object]:
    """Give the keywords with which `reconstruct` repeats the run."""
    if record.method != Method.POGMDM:
        return {"method": record.method, **rival_of(record), **record.settings}
    model, chains, seed = sampler_of(record)
    settings = SamplerSettings.from_dict(record.settings)
    preset, _ = nearest_preset(settings)
    usual = PRESETS[preset].to_dict()
    values = {name: value for name, value in settings.to_dict().items() if value != usual[name]}
    options: dict[str, object] = {"model": model, "preset": preset, "chains": chains, "seed": seed, **values}
    maps = record.sampler.get("coil_maps")
    return options if maps is None else {**options, "maps": maps}


def _arguments(values: dict[str, object]) -> str:
    plain = {name: str(value) if isinstance(value, str) else value for name, value in values.items()}  # StrEnums too
    return ", ".join(f"{name}={value!r}" for name, value in plain.items())


def needs_file(record: RunRecord) -> bool:
    """Whether options cannot tell the run: it was stopped, its mask drawn or loaded, or its settings changed."""
    own = record.mask.get("kind") == OWN and not record.mask.get("edits")
    stopped = record.method == Method.POGMDM and stop_of(record, SamplerSettings.from_dict(record.settings)) is not None
    drawn = (record.mask.get("samples") is not None and not own) or record.trajectory.get("positions") is not None
    finer = record.trajectory.get("oversampling") not in {None, 1.0}
    return bool(record.changes) or stopped or drawn or finer


def _values(record: RunRecord) -> list[str]:
    settings, usual = settings_of(record.method, record.settings), settings_of(record.method)
    return [] if settings is None or usual is None else differences(settings, usual)
