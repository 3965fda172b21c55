"""Make the bundled radial scan from the demonstration data of gpuNUFFT.

Get the source once with ``pip download --no-deps --no-binary :all: --no-build-isolation gpunufft==0.10.8``, unpack it,
and run::

    python tools/make_radial_demo.py gpunufft-0.10.8/matlab/demo/data/brain_64spokes.mat

Of 32 coils, the ten strongest virtual ones are kept, which hold 99.8 % of the signal. Samples are rounded to multiples
of 2**-17, a third of the noise of the faintest coil, so that ordinary compression stores them in little room.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from scipy.io import loadmat

from napari_pogmdm.data.sources import RADIAL_DEMO_FILE
from napari_pogmdm.physics.compression import compress_coils
from napari_pogmdm.physics.trajectories.file import as_positions

COILS = 10
STEP = 2.0**-17
MATRIX = 256


def main(source: Path, target: Path) -> None:
    """Read samples and places from ``source`` and write them to ``target`` as a NumPy archive."""
    content = loadmat(source)
    samples = torch.from_numpy(content["rawdata"].transpose(2, 1, 0).astype(np.complex64))  # coils, spokes, samples
    places = content["k"].T  # spokes, samples
    trajectory = np.stack((places.real, places.imag), axis=-1)  # along rows and columns: the forehead is at the top
    compressed = compress_coils(samples.flatten(1), COILS)(samples.flatten(1)).reshape(COILS, *places.shape).numpy()
    rounded = (np.round(compressed / STEP) * STEP).astype(np.complex64)
    np.savez_compressed(
        target,
        kspace=rounded + 0,  # no negative zeros
        trajectory=as_positions(trajectory).reshape(*places.shape, 2),
        axes=np.array("coils,samples,samples"),
        matrix=np.array([MATRIX, MATRIX]),
    )


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent / "src" / "napari_pogmdm" / "data" / "demo"
    main(Path(sys.argv[1]), here / RADIAL_DEMO_FILE)
