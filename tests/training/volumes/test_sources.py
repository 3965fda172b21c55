from __future__ import annotations

from napari_pogmdm.training.volumes.sources import SOURCES, SPLIT, terms_of


def test_the_folder_with_identity_tags_is_never_named() -> None:
    knee = next(source for source in SOURCES if source.target == "knee.npz")
    assert knee.members.endswith("_anon/")
    assert "/data/MESE_T2_dicom_data/" not in knee.members


def test_shipped_split_holds_out_the_test_blocks() -> None:
    assert SPLIT["brain-t1.nii.gz"]["test"] == [[110, 130]]
    assert SPLIT["knee.npz"]["test"] == [[10, 13]]
    assert SPLIT["brain-pd.npz"]["test"] == [[8, 11]]
    assert {name.split("/")[0] for name in SPLIT} == {source.target for source in SOURCES}


def test_every_source_is_pinned_and_says_its_terms() -> None:
    for source in SOURCES:
        assert source.terms.endswith(".")
        assert source.client in {"pip", "npm", "git"}
        assert len(source.sha256) == (0 if source.client == "git" else 64)
        if source.client == "git":
            assert len(source.archive) >= 8


def test_cards_name_sources_and_terms_of_their_volumes() -> None:
    told = terms_of(["brain-four-contrasts.npz/t1", "brain-four-contrasts.npz/t2", "own.npy"])
    assert told.count("\n") == 0
    assert "CC BY 3.0" in told
    assert "22661a6c" in told
    assert terms_of(["own.npy"]) == ""
