"""What a prior is made of, before any number is learned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar

from napari_pogmdm.settings import Conditions, Settings, setting


class Family(StrEnum):
    """What the filters are."""

    LOCAL = "local"
    SHEARLET = "shearlet"


class Sharing(StrEnum):
    """Which shearlets share a potential."""

    NONE = "none"
    WITHIN = "within"
    ACROSS = "across"
    BOTH = "both"


class Conditioning(StrEnum):
    """How the variances of the mixtures follow the noise level."""

    HEAT = "heat"
    NETWORK = "network"
    SOFTPLUS = "softplus"


class Gain(StrEnum):
    """How a filter's gain is read off its magnitude spectrum."""

    MAX = "max"
    RMS = "rms"
    MEAN = "mean"


# Lengths of the shearlet generators h1 and P: 9 + 17^2 = 298 numbers, the constant in the paper's parameter counts.
LOW_PASS_TAPS = 9
FAN_TAPS = 17


_LOCAL: Conditions = {"family": (Family.LOCAL,)}
_SHEARLETS: Conditions = {"family": (Family.SHEARLET,)}


@dataclass(frozen=True)
class PriorConfiguration(Settings):
    """The choices that fix a prior's shape; its parameters are the rest."""

    title: ClassVar[str] = "prior configuration"

    family: Family = setting(
        Family.LOCAL, "fully learned filters of filter_size taps, or a nonseparable shearlet system"
    )
    filter_count: int = setting(
        20,
        "number of fully learned filters; that of shearlets follows from scales",
        symbol="o",
        within=(1, 256),
        only_with=_LOCAL,
    )
    filter_size: int = setting(
        5, "taps along each side of a fully learned filter", symbol="v", odd=True, within=(3, 31), only_with=_LOCAL
    )
    scales: int = setting(2, "scales of the shearlet system", symbol="J", within=(1, 4), only_with=_SHEARLETS)
    sharing: Sharing = setting(
        Sharing.NONE,
        "which shearlets share a potential: shears k and -k within a cone, the two cones, or both",
        only_with=_SHEARLETS,
    )
    components: int = setting(
        125, "components of each mixture; an odd number, so that zero is a mean", symbol="L", odd=True, within=(3, 1025)
    )
    bound: float = setting(
        0.5, "largest mean of a mixture; the means are equispaced from -bound to bound", within=(1e-6, 100.0)
    )
    conditioning: Conditioning = setting(
        Conditioning.HEAT,
        "how variances follow the noise level σ: by the formula, by a small network, or by three numbers a filter",
        formula="σ_k^2(σ) = σ_0^2 + ν_k^2 σ^2",
    )
    gain: Gain = setting(
        Gain.MAX,
        "how the gain of a filter is read off its magnitude spectrum",
        symbol="ν_k",
        only_with={"conditioning": (Conditioning.HEAT,)},
    )
    hidden: int = setting(
        64,
        "width of the conditioning network's two hidden layers",
        within=(1, 1024),
        only_with={"conditioning": (Conditioning.NETWORK,)},
    )

    @property
    def sigma_0(self) -> float:
        """Standard deviation of every component at noise level zero: the distance between the means.

        The paper prints this formula for the variance sigma_0^2, which would blur eleven means into one.
        """
        return 2.0 * self.bound / (self.components - 1)

    @property
    def filters(self) -> int:
        """Number o of filters; 10, 20, 38, 56 for shearlets of 1 to 4 scales."""
        if self.family is Family.LOCAL:
            return self.filter_count
        return 2 * sum(2 * shears(scale) + 1 for scale in range(1, self.scales + 1))

    @property
    def assignment(self) -> tuple[int, ...]:
        """Which potential each filter uses, as indices; filters come in the order cone, scale, shear."""
        if self.family is Family.LOCAL:
            return tuple(range(self.filter_count))
        keys = [
            (
                0 if self.sharing in (Sharing.ACROSS, Sharing.BOTH) else cone,
                scale,
                abs(shear) if self.sharing in (Sharing.WITHIN, Sharing.BOTH) else shear,
            )
            for cone, scale, shear in places(self.scales)
        ]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        return tuple(numbers[key] for key in keys)

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Shape of every learned tensor by name."""
        o, h = self.filters, self.hidden
        shapes: dict[str, tuple[int, ...]] = {"weights": (max(self.assignment) + 1, (self.components + 1) // 2)}
        if self.family is Family.LOCAL:
            shapes["filters"] = (o, self.filter_size, self.filter_size)
        else:
            shapes |= {"low_pass": (LOW_PASS_TAPS,), "fan": (FAN_TAPS, FAN_TAPS)}
        if self.conditioning is Conditioning.NETWORK:
            shapes |= {"time.0.weight": (h, 1), "time.0.bias": (h,), "time.1.weight": (h, h), "time.1.bias": (h,)}
            shapes |= {"time.2.weight": (o, h), "time.2.bias": (o,)}
        elif self.conditioning is Conditioning.SOFTPLUS:
            shapes |= {"time.scale": (o,), "time.slope": (o,), "time.offset": (o,)}
        return shapes

    @property
    def parameter_count(self) -> int:
        """Number of learned numbers."""
        return sum(math.prod(shape) for shape in self.shapes.values())


def shears(scale: int) -> int:
    """Largest shear at a scale (1 is the coarsest): 2^ceil(s/2), so 5, 5, 9, 9 shears a cone.

    The paper prints ceil(2^floor(j/2)), which contradicts its own parameter counts.
    """
    return int(2 ** math.ceil(scale / 2))


def places(scales: int) -> list[tuple[int, int, int]]:
    """Cone, scale and shear of every shearlet, in the order of the filters."""
    return [
        (cone, scale, shear)
        for cone in range(2)
        for scale in range(1, scales + 1)
        for shear in range(-shears(scale), shears(scale) + 1)
    ]


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
        Variant.SH_1.value: PriorConfiguration(family=Family.SHEARLET, scales=1),
        Variant.SH_2.value: PriorConfiguration(family=Family.SHEARLET, scales=2),
        Variant.SH_2_SHARED.value: PriorConfiguration(family=Family.SHEARLET, scales=2, sharing=Sharing.BOTH),
        Variant.FLF.value: PriorConfiguration(bound=1.0),
        Variant.FLF_SOFTPLUS.value: PriorConfiguration(conditioning=Conditioning.SOFTPLUS),
        Variant.FLF_TC.value: PriorConfiguration(conditioning=Conditioning.NETWORK),
    }
)
"""The paper's parameterisations that ship with trained weights."""


class Further(StrEnum):
    """Names of the models that ship beside one for each of the paper's parameterisations."""

    FLF_TC_CLEAN = "flf-tc-clean"
    FLF_TC_RECON = "flf-tc-recon"


FURTHER_MODELS: Mapping[str, PriorConfiguration] = MappingProxyType(
    {
        Further.FLF_TC_CLEAN.value: VARIANTS[Variant.FLF_TC],
        Further.FLF_TC_RECON.value: replace(VARIANTS[Variant.FLF_TC], filter_size=7, filter_count=28),
    }
)
"""What those are made of."""
MODEL_NAMES: tuple[str, ...] = (*VARIANTS, *FURTHER_MODELS)
