"""Files that are no checkpoint of a VarNet: foreign, damaged, too large, or dangerous."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import save_file

from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.weights import save_rival
from rivals.tiny import TINY, tiny_network


class Danger:
    def __reduce__(self):
        return (print, ("this ran",))


def damaged(folder: Path) -> dict[str, Path]:
    """Write them; give their paths by what is wrong."""
    state = tiny_network(Rival.VARNET).state_dict()
    found = {}

    def write(name: str, content: object) -> None:
        found[name] = folder / f"{name}.pt"
        torch.save(content, found[name])

    name = "cascades.1.model.unet.conv.layers.0.weight"
    write("lacks", {key: values for key, values in state.items() if key != name})
    write("shape", state | {name: torch.ones(3, 3)})
    write("nan", state | {name: state[name] * float("nan")})
    write("whole numbers", state | {name: state[name].int()})
    write("unexpected", state | {"cascades.0.extra": torch.ones(1)})
    write("foreign", {"layer1.0.conv1.weight": torch.ones(3)})
    write("empty", {})
    write("list", [torch.ones(2)])
    write("expanded", {"sens_net": torch.ones(1).expand(10**12)})
    write("another", tiny_network(Rival.UNET).state_dict())
    write("huge number", state | {"cascades.99999999999999.dc_weight": torch.ones(1)})
    write("runs code", {"model_state_dict": state, "hparams": Danger()})
    write("sparse", state | {"cascades.0.dc_weight": torch.ones(1).to_sparse()})
    content = (folder / "lacks.pt").read_bytes()
    for name, text in {
        "truncated": content[: len(content) // 2],
        "start": content[:10],
        "nothing": b"",
        "text": b"<html>404</html>",
        "hdf5": b"\x89HDF\r\n\x1a\n" + bytes(100),
        "header of a gigabyte": (10**9).to_bytes(8, "little") + b"{" + bytes(100),
        "safetensors": (10**15).to_bytes(8, "little") + b"{",
        "cut safetensors": (50).to_bytes(8, "little") + b'{"a": {"dtype": "F32"',
    }.items():
        found[name] = folder / f"{name}.bin"
        found[name].write_bytes(text)
    found["compressed"] = folder / "compressed.pt"
    with zipfile.ZipFile(found["compressed"], "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(10**6))
    found["not finite"] = folder / "not finite.safetensors"
    save_file({key: values * float("nan") for key, values in state.items()}, found["not finite"])
    found["other sizes"] = folder / "other sizes.safetensors"
    save_rival(state, replace(TINY[Rival.VARNET], chans=5), found["other sizes"], {})
    found["too large"] = folder / "too large.pt"
    with found["too large"].open("wb") as stream:
        stream.truncate(10**12)  # sparse: takes no room
    found["folder"] = folder
    found["missing"] = folder / "missing.pt"
    return found
