"""Ask a prior about an image: its score and the Tweedie estimate at a noise level.

python examples/denoise.py
"""

import torch

import napari_pogmdm as pg

truth = torch.from_numpy(pg.reference_image(pg.open_scan("demo")[0]))
truth = truth / truth.max()  # priors expect a largest value of 1
noise = torch.randn(truth.shape, generator=torch.Generator().manual_seed(0))

for name in ("sh-2", "flf-tc"):
    prior = pg.load_prior(name)
    for sigma in (0.05, 0.1, 0.2):
        noisy = truth + sigma * noise
        score = prior.score(noisy, sigma)  # the gradient of log p
        # Tweedie's formula; prior.denoise(noisy, sigma) does the same
        estimate = noisy + sigma**2 * score
        before, after = (pg.metrics(truth.numpy(), image.numpy()).psnr for image in (noisy, estimate))
        print(f"{name:6} sigma {sigma:.2f}: {before:.1f} -> {after:.1f} dB")
