"""Recognising a network by the names and shapes of its tensors, as in published checkpoints."""

from __future__ import annotations

import re
from collections.abc import Mapping

import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.shapes import JsenseShape, NetworkShape, UnetShape, VarnetShape

TensorShapes = Mapping[str, tuple[int, ...]]
"""Shapes of tensors by name."""

_FIRST_UNET = "down_sample_layers.0.layers.0.weight"
_LANDMARKS = {
    Rival.VARNET: f"sens_net.norm_unet.unet.{_FIRST_UNET}",
    Rival.JSENSE: "image_net.ResNetBlocks.0.conv1.net.1.weight",
    Rival.UNET: _FIRST_UNET,
}
"""A tensor that every network of a kind has; that of a U-Net also stands inside a VarNet, so it is looked for last."""

_BESIDE = ("loss.",)  # tensors that fastMRI's training keeps beside those of the network


def identify(shapes: TensorShapes, what: str) -> tuple[NetworkShape, str]:
    """Find out which network a checkpoint holds.

    Parameters
    ----------
    shapes
        Of all its tensors.
    what
        Begins the sentence if it is none, such as the name of the file.

    Returns
    -------
    Its sizes, and the prefix of the names of its tensors, such as "varnet." of a Lightning checkpoint.
    """
    for rival, landmark in _LANDMARKS.items():
        found = sorted((name for name in shapes if name.endswith(landmark)), key=len)
        if found:
            prefix = found[0][: -len(landmark)]
            shape = _sizes(rival, {name.removeprefix(prefix): size for name, size in shapes.items()}, what)
            check_layout(shape, shapes, prefix, what)
            return shape, prefix
    example = f", such as {next(iter(shapes))!r}" if shapes else ""
    raise InputError(
        f"{what}: holds {len(shapes)} tensors{example}, which are none of a U-Net, a VarNet or Deep J-Sense; "
        "names of layers must be the published ones."
    )


def _sizes(rival: Rival, shapes: TensorShapes, what: str) -> NetworkShape:
    try:
        if rival is Rival.UNET:
            return UnetShape(chans=shapes[_FIRST_UNET][0], pools=_count(shapes, r"down_sample_layers\.(\d+)\."))
        if rival is Rival.VARNET:
            coils, image = "sens_net.norm_unet.unet.", "cascades.0.model.unet."
            return VarnetShape(
                cascades=_count(shapes, r"cascades\.(\d+)\."),
                chans=shapes[image + _FIRST_UNET][0],
                pools=_count(shapes, re.escape(image) + r"down_sample_layers\.(\d+)\."),
                sens_chans=shapes[coils + _FIRST_UNET][0],
                sens_pools=_count(shapes, re.escape(coils) + r"down_sample_layers\.(\d+)\."),
            )
        first = shapes[_LANDMARKS[Rival.JSENSE]]
        return JsenseShape(channels=first[0], blocks=_count(shapes, r"image_net\.ResNetBlocks\.(\d+)\."))
    except (KeyError, IndexError) as error:
        raise InputError(f"{what}: lacks tensors of the {rival} that it seems to hold; save it again.") from error
    except InputError as error:
        raise InputError(f"{what}: its {rival} has sizes that no network has ({error})") from error


def _count(shapes: TensorShapes, pattern: str) -> int:
    """Count the layers whose numbers a pattern finds; the first has number 0."""
    numbers = [int(found[1][:9]) for name in shapes if (found := re.match(pattern, name))]
    return max(numbers) + 1 if numbers else 0


def expected_shapes(shape: NetworkShape) -> dict[str, tuple[int, ...]]:
    """Names and shapes of a network's tensors; nothing is allocated for them."""
    with torch.device("meta"):
        network = shape.make()
    return {name: tuple(values.shape) for name, values in network.named_parameters()}


def check_layout(shape: NetworkShape, shapes: TensorShapes, prefix: str, what: str) -> None:
    """Refuse a checkpoint that lacks a tensor of its network, has another one, or one of another shape.

    Parameters
    ----------
    shape
        Of the network.
    shapes
        Of all tensors of the checkpoint.
    prefix
        Of the names of the network's tensors.
    what
        Begins the sentence.
    """
    wanted = expected_shapes(shape)
    for name, size in wanted.items():
        found = shapes.get(prefix + name)
        if found is None:
            raise InputError(f"{what}: lacks tensor {prefix + name!r} of a {shape.kind}; save it again.")
        if found != size:
            raise InputError(f"{what}: tensor {prefix + name!r} has shape {found} instead of {size}; save it again.")
    for name in shapes:
        if name.startswith(prefix) and name.removeprefix(prefix) not in wanted and not name.startswith(_BESIDE):
            raise InputError(f"{what}: has an unexpected tensor {name!r}, which no {shape.kind} has.")
