from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.data.acquisition import Acquisition, Header
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampling.mask_recipe import file_mask


def test_data_are_masked_and_scaled_and_the_scale_undoes_it(small_scan):
    mask = make_mask("cartesian", small_scan.shape, 2, 0.2)
    measurement = undersample(small_scan, mask)
    assert float(measurement.kspace[:, ~mask.samples].abs().max()) == 0
    assert float(root_sum_of_squares(to_image(measurement.kspace)).max()) == pytest.approx(1)
    kept = torch.from_numpy(small_scan.kspace * mask.samples)
    torch.testing.assert_close(measurement.kspace * measurement.scale, kept)


def test_the_scale_of_the_scan_does_not_matter(small_scan):
    mask = make_mask("cartesian", small_scan.shape, 2, 0.2)
    tiny = Acquisition(small_scan.kspace * np.float32(1e-6), "tiny", noise_free_reference=True)
    image, same = (reconstruct(undersample(scan, mask), "cg-sense").image for scan in (small_scan, tiny))
    np.testing.assert_allclose(same * 1e6, image, rtol=1e-3, atol=1e-3)


def test_compression_is_reported(small_scan):
    mask = make_mask("cartesian", small_scan.shape, 2, 0.2)
    measurement = undersample(small_scan, mask, coils=2)
    assert measurement.kspace.shape[0] == 2
    assert measurement.physical_coils == 4
    assert 0.5 < measurement.kept_energy < 1
    assert undersample(small_scan, mask, coils=99).kspace.shape[0] == 4


def test_whitening_is_applied_on_request(small_scan):
    mask = make_mask("cartesian", small_scan.shape, 2, 0.2)
    mixing = np.array([[1, 0.8, 0, 0], [0, 1, 0, 0], [0, 0, 3, 0], [0, 0, 0.5, 1]])
    generator = np.random.default_rng(0)
    noise = generator.normal(size=(4, 48, 40)) + 1j * generator.normal(size=(4, 48, 40))
    coloured = Acquisition(np.einsum("dc,cyx->dyx", mixing, noise).astype(np.complex64), "noise")
    white = undersample(coloured, mask, prewhiten=True).kspace[:, mask.samples]
    covariance = (white @ white.conj().T).real
    off_diagonal = covariance - torch.diag(covariance.diagonal())
    assert float(off_diagonal.abs().max()) < 0.2 * float(covariance.diagonal().mean())


def test_padding_counts_as_measured_unless_excluded(small_scan):
    header = Header(encoded_matrix=(48, 40), phase_centre=18, phase_last=35)
    scan = Acquisition(small_scan.kspace, "padded", header)
    everything = Mask(np.ones((48, 40), bool), "file")
    assert undersample(scan, everything).mask.samples.all()
    inside = undersample(scan, everything, exclude_padding=True).mask.samples[0]
    assert np.flatnonzero(~inside).tolist() == [0, 1, 38, 39]


def test_masks_of_the_file_are_respected(small_scan):
    columns = np.broadcast_to(np.arange(40) % 2 == 0, (48, 40)).copy()
    scan = Acquisition(small_scan.kspace * columns, "test", mask=columns)
    assert file_mask(scan).acceleration == 2
    both = undersample(scan, make_mask("radial", (48, 40), 2)).mask.samples
    assert not both[:, 1::2].any()
    assert reference_image(scan) is None
    odd = Mask(~columns, "file")
    with pytest.raises(InputError, match="shares no sample"):
        undersample(scan, odd)
    with pytest.raises(InputError, match="has no mask"):
        file_mask(small_scan)


def test_masks_of_another_size_and_masks_that_hit_only_zeros_are_refused(small_scan):
    with pytest.raises(InputError, match="has shape"):
        undersample(small_scan, make_mask("cartesian", (40, 48)))
    half = small_scan.kspace.copy()
    half[..., :20] = 0
    left = np.zeros((48, 40), bool)
    left[:, :10] = True
    with pytest.raises(InputError, match="every sample it keeps"):
        undersample(Acquisition(half, "half"), Mask(left, "file"))


def test_references_are_cropped_and_made_from_full_data_where_the_file_has_none(small_scan):
    header = Header(recon_matrix=(24, 32))
    scan = Acquisition(small_scan.kspace, "no target", header)
    reference = reference_image(scan)
    assert reference is not None
    assert reference.shape == (24, 32)
    full = root_sum_of_squares(to_image(torch.from_numpy(small_scan.kspace))).numpy()
    np.testing.assert_allclose(reference, full[12:36, 4:36], rtol=1e-6)


def test_padding_does_not_count_as_noisy(small_scan):
    padded = small_scan.kspace.copy()
    padded[..., :10] = 0
    measurement = undersample(Acquisition(padded, "padded"), Mask(np.ones((48, 40), bool), "file"))
    assert measurement.noisy_acceleration == pytest.approx(40 / 30)
