"""Algorithm 1 of the paper, line by line and slowly: no shared code with the sampler but the prior's exact score.

Misprints are settled as follows: the score is taken at noise variance zeta^2; the coil gradient carries conj(x); the
proximal map is (I + beta L)^-1 with a dense solve.
"""

from __future__ import annotations

import numpy as np
import torch


def zeta(i: int, n: int, p: float, largest: float, smallest: float) -> float:
    return largest * (smallest / largest) ** ((1 - i / n) ** p)


def fourier(image: np.ndarray) -> np.ndarray:
    return np.fft.fftshift(np.fft.fft2(np.fft.ifftshift(image), norm="ortho"))


def inverse_fourier(kspace: np.ndarray) -> np.ndarray:
    return np.fft.fftshift(np.fft.ifft2(np.fft.ifftshift(kspace), norm="ortho"))


def laplacian(rows: int, columns: int) -> np.ndarray:
    def second_difference(n: int) -> np.ndarray:
        return 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)

    return np.kron(second_difference(rows), np.eye(columns)) + np.kron(np.eye(rows), second_difference(columns))


def score(prior, channel: np.ndarray, sigma: float) -> np.ndarray:
    return prior.score(torch.from_numpy(channel), sigma, exact=True).numpy()


def algorithm_one(prior, y, mask, x, s, normals, *, n, t0, p, largest, smallest, m, r, lam, alpha, beta):
    """Yield (line, x, s) after the predictor, each data step, each corrector step and the coil update.

    ``normals()`` gives the next standard normal field, first for the real and then for the imaginary part; the caller
    has noised x to the starting level already.
    """
    rows, columns = mask.shape
    solve = np.linalg.inv(np.eye(rows * columns) + beta * laplacian(rows, columns))

    def data_gradient(x):
        total = np.zeros_like(x)
        for coil, measured in zip(s, y, strict=True):
            total += coil.conj() * inverse_fourier(mask * (measured - mask * fourier(coil * x)))
        return total

    for i in range(round(t0 * n) - 1, -1, -1):
        above, here = (zeta(j, n, p, largest, smallest) for j in (i + 1, i))
        parts = []
        fields = [normals(), normals()]
        for channel, field in zip((x.real, x.imag), fields, strict=True):
            moved = channel + (above**2 - here**2) * score(prior, channel, above)
            parts.append(moved + np.sqrt(above**2 - here**2) * field)
        x = parts[0] + 1j * parts[1]
        yield "predict", x, s
        x = x + lam * data_gradient(x)
        yield "data", x, s
        for _ in range(m):
            parts = []
            fields = [normals(), normals()]
            for channel, field in zip((x.real, x.imag), fields, strict=True):
                g = score(prior, channel, here)
                epsilon = 2 * r * np.sum(field**2) / np.sum(g**2)
                parts.append(channel + epsilon * g + np.sqrt(2 * epsilon) * field)
            x = parts[0] + 1j * parts[1]
            yield "correct", x, s
            x = x + lam * data_gradient(x)
            yield "data", x, s
        updated = []
        for coil, measured in zip(s, y, strict=True):
            residual = inverse_fourier(mask * (measured - mask * fourier(coil * x)))
            moved = coil + alpha * x.conj() * residual
            updated.append((solve @ moved.reshape(-1)).reshape(rows, columns))
        s = np.stack(updated)
        yield "coils", x, s
