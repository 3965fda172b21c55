"""Deep J-Sense: conjugate gradients for coils and image in turn, each followed by a network that removes noise.

The image is held in image space, the coils as a small kernel in k-space; the same two networks serve every round.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image, to_kspace
from napari_pogmdm.rivals.networks.jsense_model import JsenseModel, resized

KERNEL = (15, 9)
"""Rows and columns of the coils' kernel in k-space, as published."""

ROUNDS, CG_ITERATIONS = 6, 4
"""Rounds of coils and image, and steps of conjugate gradients in each, as published; the paper takes 3 steps."""

_START_WEIGHT = 0.01  # of both pulls towards the networks' results before training, as published
_SMALLEST_RESIDUAL = 1e-6  # conjugate gradients stop here, as published


class SameConvolution(nn.Module):
    """A convolution that keeps the size, with reflected borders.

    Parameters
    ----------
    inputs, outputs
        Numbers of channels.
    size
        Side of the kernel, odd.
    """

    def __init__(self, inputs: int, outputs: int, size: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.ReflectionPad2d(size // 2), nn.Conv2d(inputs, outputs, size, bias=False))

    def forward(self, images: Tensor) -> Tensor:
        """Map (batch, inputs, rows, columns) to (batch, outputs, rows, columns)."""
        found: Tensor = self.net(images)
        return found


class ResnetBlock(nn.Module):
    """Rectifier and convolution twice, added to what came in.

    Parameters
    ----------
    inputs, outputs
        Numbers of channels; where they differ, a convolution of one pixel brings the input to the output's.
    latent
        Channels in between.
    last
        Whether there is no second rectifier.
    """

    def __init__(self, inputs: int, latent: int, outputs: int, *, last: bool = False) -> None:
        super().__init__()
        self.conv0 = SameConvolution(inputs, outputs, 1) if inputs != outputs else None
        self.conv1 = SameConvolution(inputs, latent, 3)
        self.conv2 = SameConvolution(latent, outputs, 3)
        self._last = last

    def forward(self, images: Tensor) -> Tensor:
        """Map (batch, inputs, rows, columns) to (batch, outputs, rows, columns)."""
        shortcut = images if self.conv0 is None else self.conv0(images)
        found = self.conv1(functional.relu(images))
        return shortcut + self.conv2(found if self._last else functional.relu(found))


class ResNet(nn.Module):
    """Residual blocks from two channels, real and imaginary, to two.

    Parameters
    ----------
    channels
        Between the first and the last block.
    blocks
        How many.
    """

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        widths = [2, *[channels] * (blocks - 1), 2]
        self.ResNetBlocks = nn.ModuleList(
            ResnetBlock(widths[place], channels, widths[place + 1], last=place == blocks - 1) for place in range(blocks)
        )

    def forward(self, images: Tensor) -> Tensor:
        """Map complex images (batch, rows, columns) to complex images."""
        start = torch.view_as_real(images).movedim(-1, 1)
        found = start
        for block in self.ResNetBlocks:
            found = block(found)
        return torch.view_as_complex((found + start).movedim(1, -1).contiguous())


class DeepJSense(nn.Module):
    """The whole method, unrolled.

    Parameters
    ----------
    channels, blocks
        Of each of the two networks.
    rounds
        Of coils and image.
    cg_iterations
        Steps of conjugate gradients in each half of a round.
    kernel
        Rows and columns of the coils' kernel.
    """

    def __init__(
        self,
        channels: int,
        blocks: int,
        rounds: int = ROUNDS,
        cg_iterations: int = CG_ITERATIONS,
        kernel: tuple[int, int] = KERNEL,
    ) -> None:
        super().__init__()
        self.block1_l2lam = nn.Parameter(torch.full((1,), _START_WEIGHT))
        self.block2_l2lam = nn.Parameter(torch.full((1,), _START_WEIGHT))
        self.image_net = ResNet(channels, blocks)
        self.maps_net = ResNet(channels, blocks)
        self.rounds = rounds
        self._cg_iterations = cg_iterations
        self._kernel = kernel

    def begin(self, kspace: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Make the first image and kernel of coils from measured k-space (coils, rows, columns)."""
        model = JsenseModel(kspace, mask, self._kernel)
        images = to_image(kspace)
        shares = images / root_sum_of_squares(images).clamp_min(torch.finfo(torch.float32).tiny)
        kernel = resized(to_kspace(shares), self._kernel)
        return model.image_adjoint(model.first_images, model.maps(kernel)), kernel

    def round(self, number: int, image: Tensor, kernel: Tensor, kspace: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Improve the kernel of coils, then the image.

        Parameters
        ----------
        number
            Rounds done before; the first has nothing to pull towards.
        image, kernel
            So far.
        kspace
            Measured, (coils, rows, columns).
        mask
            (rows, columns) bool.
        """
        model = JsenseModel(kspace, mask, self._kernel)
        pull = 0.0 if number == 0 else 1.0

        def of_kernel(values: Tensor) -> Tensor:
            return model.kernel_adjoint(model.seen(image, model.maps(values)), image) + self.block1_l2lam * values

        goal = model.kernel_adjoint(model.first_images, image) + pull * self.block1_l2lam * kernel
        kernel = conjugate_gradients(of_kernel, goal, kernel, self._cg_iterations)
        kernel = to_kspace(self.maps_net(to_image(kernel)))
        maps = model.maps(kernel)

        def of_image(values: Tensor) -> Tensor:
            return model.image_adjoint(model.seen(values, maps), maps) + self.block2_l2lam * values

        goal = model.image_adjoint(model.first_images, maps) + pull * self.block2_l2lam * image
        image = conjugate_gradients(of_image, goal, image, self._cg_iterations)
        return self.image_net(image[None])[0], kernel

    def finish(self, image: Tensor, kernel: Tensor, kspace: Tensor) -> Tensor:
        """Make the magnitude (rows, columns) from image and coils; ``kspace`` gives the size."""
        model = JsenseModel(kspace, torch.ones_like(kspace[0].real), self._kernel)
        return root_sum_of_squares(to_image(model.predict(image, model.maps(kernel))))

    def forward(self, kspace: Tensor, mask: Tensor) -> Tensor:
        """Reconstruct the magnitude (rows, columns) from measured k-space, scaled to a largest sample of 1."""
        image, kernel = self.begin(kspace, mask)
        for number in range(self.rounds):
            image, kernel = self.round(number, image, kernel, kspace, mask)
        return self.finish(image, kernel, kspace)


def conjugate_gradients(operator: Callable[[Tensor], Tensor], goal: Tensor, start: Tensor, iterations: int) -> Tensor:
    """Solve ``operator(x) = goal`` in a few steps, through which gradients flow.

    Parameters
    ----------
    operator
        Linear, self-adjoint and positive.
    goal
        Right-hand side.
    start
        First x.
    iterations
        Steps at most.
    """
    solution = start
    residual = goal - operator(start)
    direction = residual
    size = _square(residual)
    for _ in range(iterations):
        if float(size.detach()) < _SMALLEST_RESIDUAL**2:
            break
        applied = operator(direction)
        step = size / (direction.conj() * applied).real.sum()
        solution = solution + step * direction
        residual = residual - step * applied
        smaller = _square(residual)
        direction = residual + (smaller / size) * direction
        size = smaller
    return solution


def _square(values: Tensor) -> Tensor:
    return torch.view_as_real(values).square().sum()
