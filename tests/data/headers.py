"""The header of a fastMRI knee."""

from __future__ import annotations

from napari_pogmdm.data.acquisition import Header

FULL = Header(
    encoded_matrix=(640, 372),
    recon_matrix=(320, 320),
    encoded_field_of_view_mm=(280.0, 162.5),
    recon_field_of_view_mm=(140.0, 140.0),
    phase_centre=168,
    phase_last=335,
    field_strength_tesla=2.8936,
)
