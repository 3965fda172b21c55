from __future__ import annotations

from typing import Any

import torch

from napari_pogmdm.prior.scores.spectral import spectral_score


def test_the_compiled_look_up_equals_torchs_and_any_number_of_threads(make: Any) -> None:
    prior = make.rough_prior("sh-1")
    planes = torch.stack([make.piecewise_image(40, 33, seed) for seed in range(2)])
    table = prior.table(0.1)
    spectra = prior.spectra((40, 33))[..., :17]
    exact = spectral_score(planes, spectra, table)
    single = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        single.append(spectral_score(planes.float(), spectra.to(torch.complex64), table))
    assert exact.dtype == torch.float64
    assert ((single[0] - exact).abs().max() / exact.abs().max()).item() < 1e-4
    assert torch.equal(single[1], single[0])


def test_planes_do_not_see_each_other(make: Any) -> None:
    prior = make.rough_prior("sh-1")
    planes = torch.stack([make.piecewise_image(40, 32, seed) for seed in range(3)])
    table, spectra = prior.table(0.05), prior.spectra((40, 32))[..., :17]
    together = spectral_score(planes, spectra, table)
    for plane, score in zip(planes, together, strict=True):
        torch.testing.assert_close(spectral_score(plane[None], spectra, table)[0], score)
