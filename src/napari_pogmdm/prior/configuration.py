"""What a prior is made of, before any number is learned."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, get_args, get_type_hints

from napari_pogmdm.errors import InputError

Family = Literal["local", "shearlet"]
Sharing = Literal["none", "within", "across", "both"]
Conditioning = Literal["heat", "network", "softplus"]
Gain = Literal["max", "mean"]

LOW_PASS_TAPS = 9
FAN_TAPS = 17


@dataclass(frozen=True)
class PriorConfiguration:
    """The choices that fix a prior's shape; its parameters are the rest.

    Parameters
    ----------
    family : {"local", "shearlet"}
        Fully learned filters of ``filter_size`` taps, or a nonseparable shearlet system.
    filter_count : int
        Number o of fully learned filters (ignored for shearlets, whose number follows from ``scales``).
    filter_size : int
        Taps v along each side of a fully learned filter; odd.
    scales : int
        Scales J of the shearlet system, 1 to 4.
    sharing : {"none", "within", "across", "both"}
        Which shearlets share a potential: shears k and -k within a cone, the two cones, or both.
    components : int
        Components L of each mixture; odd, so that zero is a mean.
    bound : float
        The means are equispaced on [-bound, bound].
    conditioning : {"heat", "network", "softplus"}
        How variances follow the noise level: sigma_0^2 + nu_k^2 sigma^2, a small network, or three numbers a filter.
    gain : {"max", "mean"}
        How nu_k is read off a filter's magnitude spectrum (heat conditioning only).
    hidden : int
        Width of the conditioning network's two hidden layers.
    """

    family: Family = "local"
    filter_count: int = 20
    filter_size: int = 5
    scales: int = 2
    sharing: Sharing = "none"
    components: int = 125
    bound: float = 0.5
    conditioning: Conditioning = "heat"
    gain: Gain = "max"
    hidden: int = 64

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        hints = get_type_hints(type(self))
        for field in dataclasses.fields(self):
            value, allowed = getattr(self, field.name), get_args(hints[field.name])
            if allowed and value not in allowed:
                raise InputError(f"Prior setting {field.name} is {value!r}; choose one of {', '.join(allowed)}.")
            if not allowed and (isinstance(value, bool) or not isinstance(value, hints[field.name])):
                raise InputError(f"Prior setting {field.name} is {value!r}; give a {hints[field.name].__name__}.")
        limits = {"filter_count": (1, 256), "filter_size": (3, 31), "scales": (1, 4)}
        limits |= {"components": (3, 1025), "hidden": (1, 1024)}
        for name, (low, high) in limits.items():
            if not low <= getattr(self, name) <= high:
                raise InputError(f"Prior setting {name} is {getattr(self, name)}; choose {low} to {high}.")
        for name in ("filter_size", "components"):
            if getattr(self, name) % 2 == 0:
                raise InputError(f"Prior setting {name} is {getattr(self, name)}; choose an odd number.")
        if not (math.isfinite(self.bound) and 0 < self.bound <= 100):
            raise InputError(f"Prior setting bound is {self.bound}; choose a positive number such as 0.5.")

    @property
    def sigma_0(self) -> float:
        """Standard deviation of every component at noise level zero: the distance between the means.

        The paper prints this formula for the variance sigma_0^2, which would blur eleven means into one.
        """
        return 2.0 * self.bound / (self.components - 1)

    @property
    def filters(self) -> int:
        """Number o of filters; 10, 20, 38, 56 for shearlets of 1 to 4 scales."""
        if self.family == "local":
            return self.filter_count
        return 2 * sum(2 * shears(scale) + 1 for scale in range(1, self.scales + 1))

    @property
    def assignment(self) -> tuple[int, ...]:
        """Which potential each filter uses, as indices; filters come in the order cone, scale, shear."""
        if self.family == "local":
            return tuple(range(self.filter_count))
        keys = []
        for cone in range(2):
            for scale in range(1, self.scales + 1):
                for shear in range(-shears(scale), shears(scale) + 1):
                    keys.append(
                        (
                            0 if self.sharing in ("across", "both") else cone,
                            scale,
                            abs(shear) if self.sharing in ("within", "both") else shear,
                        )
                    )
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        return tuple(numbers[key] for key in keys)

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Shape of every learned tensor by name."""
        o, h = self.filters, self.hidden
        shapes: dict[str, tuple[int, ...]] = {"weights": (max(self.assignment) + 1, (self.components + 1) // 2)}
        if self.family == "local":
            shapes["filters"] = (o, self.filter_size, self.filter_size)
        else:
            shapes |= {"low_pass": (LOW_PASS_TAPS,), "fan": (FAN_TAPS, FAN_TAPS)}
        if self.conditioning == "network":
            shapes |= {"time.0.weight": (h, 1), "time.0.bias": (h,), "time.1.weight": (h, h), "time.1.bias": (h,)}
            shapes |= {"time.2.weight": (o, h), "time.2.bias": (o,)}
        elif self.conditioning == "softplus":
            shapes |= {"time.scale": (o,), "time.slope": (o,), "time.offset": (o,)}
        return shapes

    @property
    def parameter_count(self) -> int:
        """Number of learned numbers."""
        return sum(math.prod(shape) for shape in self.shapes.values())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a file's metadata."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PriorConfiguration:
        """Read what `to_dict` wrote.

        Raises
        ------
        InputError
            If a setting is unknown or has an impossible value.
        """
        unknown = set(data) - {field.name for field in dataclasses.fields(cls)}
        if unknown:
            raise InputError(
                f"Unknown prior setting {sorted(unknown)[0]!r}; the file is from another program or version."
            )
        values: dict[str, Any] = dict(data)
        if type(values.get("bound")) is int:
            values["bound"] = float(values["bound"])
        return cls(**values)


def shears(scale: int) -> int:
    """Largest shear at a scale (1 is the coarsest): 2^ceil(s/2), so 5, 5, 9, 9 shears a cone.

    The paper prints ceil(2^floor(j/2)), which contradicts its own parameter counts.
    """
    return int(2 ** math.ceil(scale / 2))


class Variant(StrEnum):
    """Names of the paper's parameterisations; a bundled model is called like its own."""

    SH_1 = "sh-1"
    SH_2 = "sh-2"
    SH_2_SHARED = "sh-2-shared"
    FLF = "flf"
    FLF_SOFTPLUS = "flf-softplus"
    FLF_TC = "flf-tc"


VARIANTS: Mapping[str, PriorConfiguration] = MappingProxyType(
    {
        Variant.SH_1.value: PriorConfiguration(family="shearlet", scales=1),
        Variant.SH_2.value: PriorConfiguration(family="shearlet", scales=2),
        Variant.SH_2_SHARED.value: PriorConfiguration(family="shearlet", scales=2, sharing="both"),
        Variant.FLF.value: PriorConfiguration(bound=1.0),
        Variant.FLF_SOFTPLUS.value: PriorConfiguration(conditioning="softplus"),
        Variant.FLF_TC.value: PriorConfiguration(conditioning="network"),
    }
)
"""The paper's parameterisations that ship with trained weights."""
