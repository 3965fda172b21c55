"""The rows of an evaluation as tables."""

from __future__ import annotations

from napari_pogmdm.cli.reports.tables import all_tables, best_peers


def _row(file: str, mask: str, method: str, psnr: float, **more: float) -> dict[str, object]:
    return {"file": file, "mask": mask, "method": method, "psnr": psnr, "ssim": 0.9, "nmse": 0.01, "seconds": 1, **more}


ROWS = [
    _row("a", "C4/8", "bart-tv", 30),
    _row("a", "C4/8", "bart-nlinv", 31),
    _row("b", "C4/8", "bart-tv", 36),
    _row("b", "C4/8", "bart-nlinv", 35),
    _row("a", "C4/8", "pogmdm", 33, coil_residual=0.05, espirit_residual=0.08),
    _row("b", "C4/8", "pogmdm", 36, coil_residual=0.07, espirit_residual=0.10),
    _row("a", "G8", "bart-tv", 20),
    _row("b", "G8", "bart-tv", 20),
    _row("a", "G8", "pogmdm", 19, coil_residual=0.2),
    _row("b", "G8", "pogmdm", 19, coil_residual=0.2),
]


def test_the_best_peer_is_chosen_scan_by_scan():
    assert [(row["file"], row["mask"], row["psnr"]) for row in best_peers(ROWS)] == [
        ("a", "C4/8", 31),
        ("b", "C4/8", 36),
        ("a", "G8", 20),
        ("b", "G8", 20),
    ]


def test_tables_show_means_spreads_and_distances_to_the_best_peer():
    text = all_tables(ROWS)
    assert "| best peer | 33.50 ± 3.54 | 20.00 ± 0.00 | 26.75 |" in text
    assert "| dB above the best peer | C4/8 | G8 | mean |" in text
    assert "| pogmdm | +1.00 | -1.00 | +0.00 |" in text


def test_coils_stand_beside_espirits_where_it_could_calibrate():
    text = all_tables(ROWS)
    assert "| pogmdm | 6.00 | 20.00 |" in text
    assert "| ESPIRiT | 9.00 | none |" in text
    bare = all_tables([row for row in ROWS if row["method"] == "pogmdm" and row.pop("coil_residual")])
    assert "ESPIRiT" not in bare
    assert "best peer" not in bare
