"""A small recording for the tests, without a run."""

from __future__ import annotations

import numpy as np

from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.recording import RecordingFacts
from napari_pogmdm.runs.recording_writer import Recorder

SHAPE = (20, 17)


def facts() -> RecordingFacts:
    return RecordingFacts(
        source="a scan",
        mask="cartesian",
        model="flf-tc",
        whole=SHAPE,
        pixel=(1.0, 2.0),
        white=0.8,
        steps=9,
        plan=("denoise", "data", "coils"),
        chains=1,
        settings=preset("default").to_dict(),
    )


def row(iteration: int) -> list[float]:
    return [0, iteration, 0, 0.1, 30 + iteration, 0.9, 0.01, 0.02, 0.0, 0.9, 1.1]


def recorded(frames: int = 9, **options: int) -> Recorder:
    random = np.random.default_rng(1)
    recorder = Recorder(facts(), peak=1.0, **options)
    recorder.add_constant("reference", random.random(SHAPE, dtype=np.float32))
    for iteration in range(frames):
        pictures = {
            "image": random.random(SHAPE, dtype=np.float32),
            "coil phase": random.uniform(-3, 3, (2, *SHAPE)).astype(np.float32),
        }
        recorder.add(row(iteration), pictures)
    return recorder
