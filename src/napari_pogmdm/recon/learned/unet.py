"""The U-Net as a method: from the zero-filled magnitude image to a better one, in one step."""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.data.acquisition import centre_place
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.rivals.apply import unet_image
from napari_pogmdm.rivals.weights import RivalModel


class UnetMethod:
    """The cropped zero-filled image, improved; it knows neither coils nor which samples were measured.

    Parameters
    ----------
    measurement
        To reconstruct from.
    model
        A U-Net.
    """

    steps = 1

    def __init__(self, measurement: Measurement, model: RivalModel) -> None:
        self._network = model.network.to(measurement.kspace.device)
        self._image = root_sum_of_squares(measurement.first_images)
        self._place = centre_place(measurement.shape, measurement.crop)

    def start(self) -> Tensor:
        """Begin with the zero-filled image."""
        return self._image

    def step(self, state: Tensor) -> Tensor:
        """Improve what people look at; the rest stays as it is."""
        rows, columns = self._place
        found = state.clone()
        with torch.no_grad():
            found[rows, columns] = unet_image(self._network, state[rows, columns]).clamp_min(0)
        return found

    def estimate(self, state: Tensor) -> Estimate:
        """Show the image."""
        return Estimate(state)
