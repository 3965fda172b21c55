"""The model of a scan in Deep J-Sense: adjoint operators, and short cuts that give what the long way gives."""

from __future__ import annotations

import torch

from napari_pogmdm.physics.fourier import to_image, to_kspace
from napari_pogmdm.rivals.networks.jsense_model import JsenseModel, resized
from rivals.tiny import scan

KERNEL = (7, 5)


def model_and_numbers(shape: tuple[int, int] = (24, 21)) -> tuple[JsenseModel, torch.Tensor, torch.Tensor]:
    """Model of a scan with even rows and odd columns, an image and a kernel of its sizes."""
    kspace, mask, _ = scan(shape, 2)
    model = JsenseModel(kspace.to(torch.complex128), mask, KERNEL)
    torch.manual_seed(0)
    return model, torch.randn(model.grid, dtype=torch.complex128), torch.randn((2, *KERNEL), dtype=torch.complex128)


def test_its_operators_are_adjoint_up_to_the_published_scale():
    model, image, kernel = model_and_numbers()
    _, mask, _ = scan((24, 21), 2)
    samples = torch.randn((2, 24, 21), dtype=torch.complex128)
    maps, images = model.maps(kernel), model.back(samples)
    seen = torch.vdot((mask * model.predict(image, maps)).flatten(), samples.flatten())
    assert torch.allclose(seen, model.root * torch.vdot(image.flatten(), model.image_adjoint(images, maps).flatten()))
    assert torch.allclose(seen, torch.vdot(kernel.flatten(), model.kernel_adjoint(images, image).flatten()))


def test_small_matrices_transform_a_kernel_as_a_padded_transform_does():
    model, _, kernel = model_and_numbers()
    assert torch.allclose(model.maps(kernel), to_image(resized(kernel, model.grid)), atol=1e-12)
    images = torch.randn((2, *model.grid), dtype=torch.complex128)
    assert torch.allclose(model.kernel_of(images), resized(to_kspace(images), KERNEL), atol=1e-12)


def test_what_is_seen_is_measured_and_transformed_back():
    model, image, kernel = model_and_numbers()
    maps = model.maps(kernel)
    assert torch.allclose(model.seen(image, maps), model.back(model.predict(image, maps)), atol=1e-9)


def test_resizing_keeps_the_middle():
    values = torch.arange(35.0).reshape(1, 5, 7)
    larger = resized(values, (10, 9))
    assert larger[0, 5, 4] == values[0, 2, 3]
    assert torch.equal(resized(larger, (5, 7)), values)
