"""``napari-pogmdm denoise``: one-step empirical-Bayes denoising of an image file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def denoise(
    image: Annotated[Path, typer.Argument(help="Image: .npy, .png or NIfTI; several slices are denoised one by one.")],
    sigma: Annotated[float, typer.Option(help="Standard deviation of the noise, where the brightest tissue is 1.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Result: .npy, .png or NIfTI.")],
    model: Annotated[str, typer.Option(help="A bundled model, or a .safetensors file.")] = "flf-tc",
    normalise: Annotated[
        bool, typer.Option("--normalise", help="Divide by the maximum first and multiply back; sigma then is relative.")
    ] = False,
) -> None:
    """Denoise an image in one step by Tweedie's formula."""
    import numpy as np
    import torch

    from napari_pogmdm.cli.image_files import check_output, read_picture, write_picture
    from napari_pogmdm.errors import InputError
    from napari_pogmdm.prior.weights import load_prior

    check_output(out)
    picture = read_picture(image)
    largest = float(np.abs(picture.values).max())
    if normalise and largest > 0:
        picture = picture.replaced(picture.values / largest)
    elif largest > 4:
        typer.secho(
            f"{image.name}: its brightest value is {largest:.4g}, but the prior knows images up to about 1; "
            "consider --normalise.",
            fg="yellow",
            err=True,
        )
    if sigma <= 0:
        raise InputError(f"sigma: {sigma} is no noise level; give a positive number such as 0.1.")
    prior = load_prior(model)
    estimate = prior.denoise(torch.from_numpy(picture.values), sigma).numpy()
    write_picture(picture.replaced(estimate * largest if normalise else estimate), out)
    typer.echo(str(out))
