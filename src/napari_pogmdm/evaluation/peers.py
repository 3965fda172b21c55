"""Peers: methods of BART and SigPy on the same measurement, each at the setting that suits the image best.

The reference is used to choose a peer's weight (and, for all of them, the overall intensity), which no user could do:
so a peer is shown at its very best.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import centre_crop
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.bart import bart_session
from napari_pogmdm.evaluation.peer import Peer
from napari_pogmdm.physics.espirit import NEEDS_SIGPY, SMALLEST_CALIBRATION
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.metrics import Metrics, metrics

PEERS = tuple(peer.value for peer in Peer)
_FIRST_WEIGHT = 0.002  # of the penalty, for images with a maximum near 1; a search begins here and leaves by itself
_NEWTON_STEPS = (6, 7, 8, 9, 10, 11, 12)  # of nlinv, around BART's default of 8; fewer blur, more let noise in
_BRIGHT = 0.2  # of the reference's maximum; what is brighter is tissue, and fixes the overall intensity
_BACKGROUND = 0.2  # share of the pixels, the darkest, whose brightest gives the unit of the noise floors that are tried
_NOTHING = 1e-30  # keeps the intensity of an all-zero image finite


@dataclass(frozen=True, eq=False)
class PeerResult:
    """The best that a peer made of a measurement.

    Attributes
    ----------
    image
        (rows, columns) magnitude, cropped, with the intensity and the noise floor that suit the reference best.
    metrics
        Against the reference.
    setting
        The weight, or number of steps, that gave it.
    seconds
        Of that one run.
    """

    image: FloatImage
    metrics: Metrics
    setting: float
    seconds: float


def run_peer(name: str, measurement: Measurement, reference: FloatImage, threads: int | None = None) -> PeerResult:
    """Run a peer at its oracle-best setting for this image.

    Weights are walked up and down in factors of two from a common start for as long as the PSNR rises; where BART can
    make more than one kind of coil maps, the better one counts.

    Parameters
    ----------
    name
        One of `PEERS`.
    measurement
        Samples, as our own methods see them.
    reference
        (rows, columns) of the fully sampled image.
    threads
        For BART; by default as many as it likes.
    """
    if name not in PEERS:
        raise InputError(f"method: unknown peer {name!r}; choose from {', '.join(PEERS)}.")
    if name == Peer.SIGPY_L1WAVELET:
        return _walk(_sigpy(measurement), measurement, reference)
    with bart_session(measurement, threads) as bart:
        if name != Peer.BART_NLINV:
            method = bart.total_variation if name == Peer.BART_TV else bart.wavelet
            walks = [_walk(partial(method, maps=kind), measurement, reference) for kind in bart.map_kinds]
            return max(walks, key=lambda result: result.metrics.psnr)
        tried = [
            _judge(lambda steps: bart.nonlinear_inversion(int(steps)), s, measurement, reference) for s in _NEWTON_STEPS
        ]
        return max(tried, key=lambda result: result.metrics.psnr)


def _walk(
    method: Callable[[float], NDArray[np.complexfloating]], measurement: Measurement, reference: FloatImage
) -> PeerResult:
    best = _judge(method, _FIRST_WEIGHT, measurement, reference)
    for factor in (2.0, 0.5):
        while True:
            tried = _judge(method, best.setting * factor, measurement, reference)
            if tried.metrics.psnr <= best.metrics.psnr:
                break
            best = tried
    return best


def _judge(
    method: Callable[[float], NDArray[np.complexfloating]],
    setting: float,
    measurement: Measurement,
    reference: FloatImage,
) -> PeerResult:
    begun = time.perf_counter()
    found = method(setting)
    seconds = time.perf_counter() - begun
    fitted = best_intensity(found, measurement, reference)
    return PeerResult(fitted, metrics(reference, fitted), setting, seconds)


def best_intensity(found: NDArray[np.complexfloating], measurement: Measurement, reference: FloatImage) -> FloatImage:
    """Give the magnitude of an image, cropped, the intensity and the noise floor that suit the reference best.

    Parameters
    ----------
    found
        (rows, columns) of the whole field of view.
    measurement
        Of which the image was made.
    reference
        (rows, columns) of the fully sampled image, cropped.
    """
    image = np.asarray(centre_crop(np.abs(found), measurement.crop), dtype=np.float64)
    bright = reference > _BRIGHT * reference.max()
    image *= (image * reference)[bright].sum() / max(float((image[bright] ** 2).sum()), _NOTHING)
    grey = float(np.quantile(reference, _BACKGROUND)) if measurement.noise_floor else 0.0
    floors = {round(share, 1) * grey for share in np.arange(0, 1.6, 0.1)}
    return min(
        (np.sqrt(image**2 + floor**2) for floor in floors), key=lambda candidate: ((candidate - reference) ** 2).sum()
    ).astype(np.float32)


def _sigpy(measurement: Measurement) -> Callable[[float], NDArray[np.complexfloating]]:
    try:
        from sigpy.mri.app import L1WaveletRecon
    except ImportError as error:
        raise InputError(f"sigpy-l1wavelet: {NEEDS_SIGPY}.") from error
    calibrated = min(measurement.sampling.centre) >= SMALLEST_CALIBRATION
    coils = starting_coils(measurement, "espirit" if calibrated else "low-pass").cpu().numpy()
    kspace, sampling = measurement.kspace.cpu().numpy(), measurement.sampling
    where: dict[str, Any] = {"weights": sampling.measured.astype(np.float32)}
    if isinstance(sampling, Trajectory):
        where = {"coord": sampling.positions * np.array(sampling.shape, dtype=np.float32)}

    def reconstruct(weight: float) -> NDArray[np.complexfloating]:
        app = L1WaveletRecon(kspace, coils, weight, **where, show_pbar=False)
        return np.asarray(app.run())

    return reconstruct
