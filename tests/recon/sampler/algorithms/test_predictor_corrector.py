"""The sampler against the slow transcription of Algorithm 1, and against transcriptions with a mistake in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.recon.measurement import Measurement, reference_image
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from recon.sampler.algorithms import algorithm_one

SHAPE = (18, 16)
TOLERANCE = 2e-3
SETTINGS = SamplerSettings(
    iterations=15, corrector_steps=2, corrector_ratio=0.2, data_step=0.9, coil_step=0.7, coil_smoothing=1.3
)


def distances(transcription: Callable, prior, small: Measurement) -> list[tuple[str, float]]:
    """Run both line by line; give every line's name and largest relative difference in image or coils."""
    sampler = make_sampler(small, prior, SETTINGS, seeds=(11,))
    state = sampler.start()
    generator = torch.Generator()
    generator.set_state(state.noise[0])
    queue: list[np.ndarray] = []

    def normals() -> np.ndarray:
        if not queue:
            queue.extend(torch.randn((2, *SHAPE), generator=generator).double().numpy())
        return queue.pop(0)

    literal = transcription(
        prior,
        small.kspace.to(torch.complex128).numpy(),
        small.mask.samples,
        state.image[0].to(torch.complex128).numpy(),
        state.coils[0].to(torch.complex128).numpy(),
        normals,
        n=15,
        t0=0.2,
        p=5,
        largest=10,
        smallest=0.001,
        m=2,
        r=0.2,
        lam=0.9,
        alpha=0.7,
        beta=1.3,
    )
    found = []
    for line, image, coils in literal:
        assert sampler.plan[state.substep] == line
        state = sampler.substep(state)
        away = [
            np.abs(ours[0].numpy() - theirs).max() / np.abs(theirs).max()
            for ours, theirs in ((state.image, image), (state.coils, coils))
        ]
        found.append((line, max(away)))
    assert state.iteration == sampler.steps == 3
    return found


def test_the_sampler_is_algorithm_one_step_by_step(prior, small):
    found = distances(algorithm_one.algorithm_one, prior, small)
    assert len(found) == 3 * 7
    assert max(away for _, away in found) < TOLERANCE, found


MISTAKES = {
    "wrong sign of the data gradient": ("x = x + lam * data_gradient(x)", "x = x - lam * data_gradient(x)"),
    "missing conjugate of the coils": ("total += coil.conj() *", "total += coil *"),
    "missing conjugate of the image, as printed": ("coil + alpha * x.conj() * residual", "coil + alpha * x * residual"),
    "swapped noise level of the predictor": ("score(prior, channel, above)", "score(prior, channel, here)"),
    "swapped noise level of the corrector": ("score(prior, channel, here)", "score(prior, channel, above)"),
    "noise level taken for a variance": ("score(prior, channel, above)", "score(prior, channel, above**2)"),
    "Song's corrector step": ("2 * r * np.sum(field**2)", "2 * r**2 * np.sum(field**2)"),
    "printed proximal map of gamma / mu": ("np.eye(rows * columns) + beta *", "np.eye(rows * columns) + 1 / beta *"),
    "start at the first level of all": ("range(round(t0 * n) - 1, -1, -1)", "range(round(t0 * n), 0, -1)"),
    "no data step after the predictor": (
        'yield "predict", x, s\n        x = x + lam',
        'yield "predict", x, s\n        x = x + 0',
    ),
    "differences that end at the border": ("2 * np.eye(n) - np.eye(n, k=1)", "1 * np.eye(n) - np.eye(n, k=1)"),
}


@pytest.mark.parametrize("mistake", list(MISTAKES))
def test_a_mistake_is_noticed(prior, small, mistake):
    """Each misprint of the paper, and each usual slip, gives something else than the sampler."""
    right, wrong = MISTAKES[mistake]
    source = Path(algorithm_one.__file__).read_text()
    assert right in source
    changed = ModuleType("changed")
    exec(source.replace(right, wrong, 1), changed.__dict__)
    assert max(away for _, away in distances(changed.algorithm_one, prior, small)) > 5 * TOLERANCE


def test_the_start_is_the_zero_filled_image_with_the_noise_of_the_first_level(prior, small):
    sampler = make_sampler(small, prior, PRESETS["paper"], seeds=(5, 6))
    state = sampler.start()
    torch.testing.assert_close(root_sum_of_squares(state.coils), torch.ones(2, *SHAPE))
    clean = sampler._zero_filled.abs().square().sum(dim=0).sqrt()
    noise = state.image - clean
    assert float(noise.real.std()) == pytest.approx(0.489, rel=0.1)
    assert float(noise.imag.std()) == pytest.approx(0.489, rel=0.1)


def test_tweedie_is_closer_to_the_truth_than_the_noisy_iterate(prior, head):
    scan, measurement = head
    reference = reference_image(scan)
    assert reference is not None
    sampler = make_sampler(
        measurement, prior, replace(PRESETS["paper"], iterations=100, renormalise=True, coil_start="auto")
    )
    state = sampler.start()
    for _ in range(8):
        state = sampler.step(state)

    def quality(image: torch.Tensor) -> float:
        return metrics(reference, (image.abs()[0] * measurement.scale).numpy()).psnr

    assert quality(sampler.tweedie(state)) > quality(state.image) + 1
