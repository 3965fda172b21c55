"""Settings that were changed while a run was under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampler.settings import SamplerSettings


@dataclass(frozen=True)
class Change:
    """A new value for one setting, from a substep on.

    Attributes
    ----------
    iteration, substep
        Those of the state (`SamplerState`) at which the change was made; it applies from the next substep on.
    name, value
        The setting, and its new value, also for all later chains.
    chain
        Which chain was running, counted from 0.
    """

    iteration: int
    substep: int
    name: str
    value: float | bool | str
    chain: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Give the change as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Change:
        """Read what `to_dict` gave."""
        names = {field.name for field in fields(cls)}
        if not isinstance(data, Mapping) or set(data) - names or {"iteration", "substep", "name", "value"} - set(data):
            raise InputError(f"changes: expected {', '.join(sorted(names))} for each.")
        change = cls(**data)
        counts = (change.iteration, change.substep, change.chain)
        if any(isinstance(count, bool) or not isinstance(count, int) or count < 0 for count in counts):
            raise InputError("changes: chain, iteration and substep are whole numbers from 0.")
        if not isinstance(change.name, str) or change.name not in {field.name for field in fields(SamplerSettings)}:
            raise InputError(f"changes: unknown setting {repr(change.name)[:40]}.")
        return change

    @property
    def moment(self) -> tuple[int, int, int]:
        """When it was made, in an order that can be compared."""
        return self.chain, self.iteration, self.substep


def changed(settings: SamplerSettings, changes: Sequence[Change]) -> SamplerSettings:
    """Apply changes one after the other."""
    values: dict[str, Any] = {change.name: change.value for change in changes}
    return replace(settings, **values)
