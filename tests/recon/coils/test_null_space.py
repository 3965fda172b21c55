from __future__ import annotations

from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.recon.coils.null_space import null_space_residual


def test_true_coils_leave_only_noise_in_the_null_space(kspace, coils, head):
    images = to_image(kspace)
    residual = null_space_residual(coils, images)[head]
    assert float(residual.mean()) < 0.13
    assert float(null_space_residual(coils.roll(1, dims=0), images)[head].mean()) > 0.2
