"""A curve from reconstructed to reference intensities, fitted on some images and applied to others."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError

_INTERIOR_KNOTS = 5


@dataclass(frozen=True)
class IntensityCurve:
    """A cubic spline with linear ends: it takes out the bias that a method leaves in its intensities.

    Attributes
    ----------
    knots, coefficients
        Of the B-spline.
    """

    knots: tuple[float, ...]
    coefficients: tuple[float, ...]

    def __call__(self, image: NDArray[np.floating]) -> NDArray[np.float32]:
        """Correct intensities; beyond the range it was fitted on, the curve goes on as a straight line."""
        from scipy.interpolate import BSpline

        curve = BSpline(np.array(self.knots), np.array(self.coefficients), 3)
        low, high = self.knots[0], self.knots[-1]
        inside = np.clip(image.astype(np.float64), low, high)
        slope = curve.derivative()
        beyond = np.where(image > high, slope(high), slope(low)) * (image - inside)
        return np.asarray(np.clip(curve(inside) + beyond, 0, None), dtype=np.float32)

    def to_json(self) -> str:
        """Write as JSON text."""
        return json.dumps({"knots": self.knots, "coefficients": self.coefficients})

    @classmethod
    def from_json(cls, text: str) -> IntensityCurve:
        """Read what `to_json` wrote."""
        try:
            loaded = json.loads(text)
            return cls(tuple(map(float, loaded["knots"])), tuple(map(float, loaded["coefficients"])))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError("intensity curve: the text holds no curve; fit it again.") from error


def fit_intensity_curve(images: NDArray[np.floating], references: NDArray[np.floating]) -> IntensityCurve:
    """Fit the curve by least squares over all pixels, with interior knots at six-quantiles of the intensities.

    Fit it on validation scans and apply it to test scans: fitted on the images that it is then judged on, it would
    see their references.
    """
    from scipy.interpolate import make_lsq_spline

    if images.shape != references.shape:
        raise InputError(f"intensity curve: images are {images.shape}, but their references {references.shape}.")
    order = np.argsort(images, axis=None)
    values = images.reshape(-1)[order].astype(np.float64)
    targets = references.reshape(-1)[order].astype(np.float64)
    interior = np.quantile(values, np.arange(1, _INTERIOR_KNOTS + 1) / (_INTERIOR_KNOTS + 1))
    knots = np.concatenate([[values[0]] * 4, interior, [values[-1]] * 4])
    if values.size < 2 * knots.size or np.any(np.diff(knots[3:-3]) <= 0):
        raise InputError("intensity curve: the images have too few different intensities to fit a curve.")
    spline = make_lsq_spline(values, targets, knots, k=3)
    return IntensityCurve(tuple(map(float, spline.t)), tuple(map(float, spline.c)))
