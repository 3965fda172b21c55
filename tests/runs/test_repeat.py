"""A record repeats its run, bit for bit."""

from __future__ import annotations

import json

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.runs.record_file import read_records
from napari_pogmdm.runs.repeat import repeat
from runs.odd_records import ODD_RECORDS


def test_a_record_repeats_its_run(done):
    record = RunRecord.from_json(done.record.to_json())
    again = repeat(record)
    np.testing.assert_array_equal(again.image, done.image)
    assert again.record.data_sha256 == record.data_sha256
    assert again.record.scan == record.scan
    assert again.record.mask == record.mask


@pytest.mark.parametrize(("change", "words"), ODD_RECORDS)
def test_odd_records_end_with_one_sentence(sampled, fastmri_file, tmp_path, change, words):
    record = json.loads(sampled(str(fastmri_file()), index=0).record.to_json())
    (tmp_path / "run.json").write_text(json.dumps({**record, **change}))
    with pytest.raises(InputError, match=words):
        repeat(read_records(tmp_path / "run.json")[0])
