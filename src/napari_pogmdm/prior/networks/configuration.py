"""What a network prior is made of, before any number is learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from napari_pogmdm.settings import Settings, setting


@dataclass(frozen=True)
class NetworkConfiguration(Settings):
    """The choices that fix a network's shape; its parameters are the rest."""

    title: ClassVar[str] = "network configuration"

    width: int = setting(32, "channels at half the resolution", within=(1, 256))
    growth: int = setting(16, "further channels at each coarser resolution", within=(0, 256))
    depth: int = setting(3, "resolutions: half, quarter and so on", within=(1, 5))
    blocks: int = setting(2, "residual blocks at each resolution, down and up", within=(1, 16))

    @property
    def channels(self) -> tuple[int, ...]:
        """Channels at each resolution, finest first."""
        return tuple(self.width + level * self.growth for level in range(self.depth))
