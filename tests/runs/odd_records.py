"""Records that somebody has tampered with: what is put into one, and words of the sentence that names it."""

from __future__ import annotations

ODD_RECORDS = [
    ({"scan": {}}, "name the scan"),
    ({"scan": {"scan": "absent.h5"}}, "no such file"),
    ({"scan": {"scan": "phantom", "index": -1}}, "whole number"),
    ({"scan": 5}, "not laid out"),
    ({"preparation": {"coils": "all"}}, "coils"),
    ({"preparation": {"gain": 2}}, "preparation"),
    ({"changes": [{"name": "x"}]}, "changes"),
    ({"changes": 7}, "not laid out"),
    ({"settings": {"volume": 11}}, "volume"),
    ({"sampler": {"chains": "many"}}, "chains"),
    ({"method": "tv", "settings": {"steps": -1}}, "steps"),
    ({"method": "tv", "settings": {"weight": "heavy"}}, "weight"),
]
