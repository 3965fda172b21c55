"""``napari-pogmdm denoise``: empirical-Bayes denoising of an image file, in one step or several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.shared import ModelOption
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import Variant
from napari_pogmdm.recon.defaults import MOST_DENOISING_STEPS

_BRIGHT = 4.0  # training images reach up to 1, and noise lifts a pixel above that, but never so far


def denoise(
    image: Annotated[Path, typer.Argument(help="Image: .npy, .png or NIfTI; several slices are denoised one by one.")],
    sigma: Annotated[float, typer.Option(help="Standard deviation of the noise, where the brightest tissue is 1.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Result: .npy, .png or NIfTI.")],
    model: ModelOption = Variant.FLF_TC.value,
    steps: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_DENOISING_STEPS,
            help="1 is Tweedie's formula; 8, at falling noise levels, leave less noise and take eight times as long.",
        ),
    ] = 1,
    normalise: Annotated[
        bool,
        typer.Option("--normalise", help="Divide by the maximum first, and multiply back; sigma is then relative."),
    ] = False,
) -> None:
    """Denoise an image by Tweedie's formula, in one step or several."""
    import numpy as np
    import torch

    from napari_pogmdm.cli.image_files import check_ending, read_image, write_image
    from napari_pogmdm.prior.weights import load_prior
    from napari_pogmdm.recon.sampler.algorithms.denoising import denoise_in_steps

    check_outputs({"--out": out}, (image, model))
    check_ending(out)
    given = read_image(image)
    largest = float(np.abs(given.values).max())
    if normalise and largest > 0:
        given = given.with_values(given.values / largest)
    elif largest > _BRIGHT:
        typer.secho(
            f"{image.name}: its brightest value is {largest:.4g}, but the prior knows images up to about 1; "
            "consider --normalise.",
            fg="yellow",
            err=True,
        )
    if sigma <= 0:
        raise InputError(f"sigma: {sigma} is not a noise level; give a positive number such as 0.1.")
    estimate = denoise_in_steps(load_prior(model), torch.from_numpy(given.values), sigma, steps).numpy()
    write_image(given.with_values(estimate * largest if normalise else estimate), out)
    typer.echo(str(out))
