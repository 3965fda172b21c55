"""Train a small prior on a folder of images, and denoise with it. Real training takes minutes, this one seconds.

python examples/train_a_prior.py
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

import napari_pogmdm as pg
from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.training.checkpoint import TrainingState
from napari_pogmdm.training.export import export_prior
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.trainer import train
from napari_pogmdm.training.volumes.slices import load_slices

# Two volumes of discs; yours are NIfTI, NumPy, DICOM or fastMRI files.
data, out, generator = Path("volumes"), Path("training"), np.random.default_rng(0)
for folder in (data, out):
    folder.mkdir(exist_ok=True)
y, x = np.mgrid[-1:1:96j, -1:1:96j]
for name in ("first", "second"):
    discs = generator.uniform(-0.8, 0.8, (10, 8, 3))  # 8 in each of 10 slices: centre, and radius or so
    stack = [sum((np.hypot(x - a, y - b) < abs(r) / 2) * 1.0 for a, b, r in one) for one in discs]
    np.save(data / f"{name}.npy", np.asarray(stack, dtype=np.float32))

settings = TrainingSettings(iterations=50, batch=4, sigma_max=0.5, weight_rate=4e-3, filter_rate=1e-2, decay=1.0)
state = TrainingState.begin(replace(VARIANTS["flf"], filter_count=8), settings)
volumes = load_slices(data)
# Leaves checkpoints, from which a training can continue.
train(state, volumes, out, report=lambda progress: None)
prior = pg.load_prior(export_prior(state, volumes, out / "discs.safetensors", "discs"))

clean = torch.from_numpy(volumes[0].train[0])
noisy = clean + 0.1 * torch.randn(clean.shape, generator=torch.Generator().manual_seed(0))
before, after = (pg.metrics(clean.numpy(), image.numpy()).psnr for image in (noisy, prior.denoise(noisy, 0.1)))
print(f"{prior.parameter_count} parameters: {before:.1f} -> {after:.1f} dB")
