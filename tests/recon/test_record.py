from __future__ import annotations

import json

from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.record import RunRecord


def test_the_record_says_how_to_repeat_it_and_survives_json(measurement):
    record = reconstruct(measurement, "cg-sense", steps=2, weight=0.5).record
    assert record.settings == {"steps": 2, "weight": 0.5, "coil_start": "low-pass"}
    assert record.mask["seed"] == 5
    assert record.versions["torch"]
    assert RunRecord.from_json(record.to_json()) == record
    again = reconstruct(measurement, "cg-sense", steps=2, weight=0.5).record
    assert again.data_sha256 == record.data_sha256
    assert json.loads(record.to_json())["coils"]["used"] == 6
