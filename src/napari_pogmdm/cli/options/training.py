"""Options of ``train`` that make a prior differ from the variant it is named after."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from napari_pogmdm.cli.options.groups import help_of
from napari_pogmdm.prior.configuration import Conditioning, Gain, PriorConfiguration, Sharing
from napari_pogmdm.settings import describe


def _option(name: str, *spellings: str) -> Any:
    """Make the option of a setting of the prior; without it, the variant decides."""
    return typer.Option(*spellings, help=help_of(describe(PriorConfiguration)[name]), show_default="as the variant")


@dataclass(frozen=True)
class PriorOptions:
    """Settings of a prior that replace those of its variant: fields of `PriorConfiguration`, or ``None``."""

    filter_count: Annotated[int | None, _option("filter_count", "--filters")] = None
    filter_size: Annotated[int | None, _option("filter_size")] = None
    scales: Annotated[int | None, _option("scales")] = None
    sharing: Annotated[Sharing | None, _option("sharing")] = None
    bound: Annotated[float | None, _option("bound")] = None
    conditioning: Annotated[Conditioning | None, _option("conditioning")] = None
    gain: Annotated[Gain | None, _option("gain")] = None

    def changed(self, configuration: PriorConfiguration) -> PriorConfiguration:
        """Give a variant these values, where there are any."""
        values = {name: value for name, value in asdict(self).items() if value is not None}
        return configuration.from_dict(configuration.to_dict() | values)
