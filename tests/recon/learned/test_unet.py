"""The U-Net as a method works on what people look at, and needs no grid."""

from __future__ import annotations

from dataclasses import replace

import torch

from napari_pogmdm.recon.learned.unet import UnetMethod
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.shapes import UnetShape
from napari_pogmdm.rivals.trained_on import TrainedOn
from napari_pogmdm.rivals.weights import RivalModel
from rivals.tiny import measured, tiny_network


def test_beyond_the_crop_the_image_stays():
    network = tiny_network(Rival.UNET)
    model = RivalModel("tiny", "", UnetShape(chans=2, pools=2), network, TrainedOn())
    measurement = replace(measured((48, 40)), crop=(32, 32))
    method = UnetMethod(measurement, model)
    found = method.step(method.start())
    assert torch.equal(found[:8], method.start()[:8])
    assert not torch.equal(found[8:40, 4:36], method.start()[8:40, 4:36])
    assert method.estimate(found).coils is None
