"""Write docs/settings.md, the tables of all settings, from their declarations.

    python tools/write_settings_page.py

A test compares the page with what this writes.
"""

from __future__ import annotations

from pathlib import Path

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.networks.configuration import NetworkConfiguration
from napari_pogmdm.recon.classical.cg_sense import CgSenseSettings
from napari_pogmdm.recon.classical.espirit_cg import EspiritCgSettings
from napari_pogmdm.recon.classical.joint_tv import JointTvSettings
from napari_pogmdm.recon.classical.l1_wavelet import L1WaveletSettings
from napari_pogmdm.recon.classical.tv import TvSettings
from napari_pogmdm.recon.learned.score_mri import ScoreMriSettings
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.unconditional import PriorSamplingSettings
from napari_pogmdm.rivals.shapes import JsenseShape, UnetShape, VarnetShape
from napari_pogmdm.settings import Setting, Settings, describe
from napari_pogmdm.training.networks.settings import NetworkTrainingSettings
from napari_pogmdm.training.rivals.settings import RivalSettings
from napari_pogmdm.training.settings import TrainingSettings

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = """\
# Settings

Written by `python tools/write_settings_page.py` from the declarations in the code. Each table has the name, which is
also that of `--set name=value` and of JSON files, the symbol in equations, the default, what is allowed, and what it
does. Noise levels σ are standard deviations; *live* settings may change while a run is under way.
"""
ABOUT: tuple[tuple[str, str, type[Settings]], ...] = (
    (
        "Sampler",
        "`reconstruct --method pogmdm`, the [Sampler](sampler.md) dock. The defaults are the preset `paper`.",
        SamplerSettings,
    ),
    ("CG-SENSE", "`reconstruct --method cg-sense`.", CgSenseSettings),
    ("Total variation", "`reconstruct --method tv`.", TvSettings),
    ("ESPIRiT + CG", "`reconstruct --method espirit-cg`; needs the extra `[baselines]`.", EspiritCgSettings),
    ("l1-wavelet", "`reconstruct --method l1-wavelet`; needs the extra `[baselines]`.", L1WaveletSettings),
    ("Joint total variation", "`reconstruct --method joint-tv`.", JointTvSettings),
    (
        "Samples of the prior",
        "What the prior draws by itself: [Denoise](denoise.md) dock.",
        PriorSamplingSettings,
    ),
    ("Prior", "What a prior is made of; stored in its weight file, see [models](models.md).", PriorConfiguration),
    ("Training", "`napari-pogmdm train`.", TrainingSettings),
    ("Network prior", "Sizes of a network that replaces filters and potentials.", NetworkConfiguration),
    (
        "Training of a network prior",
        "`napari-pogmdm train-network`, or `train --rival score`.",
        NetworkTrainingSettings,
    ),
    ("scoreMRI", "`reconstruct --method score-mri`, see [rivals](rivals.md).", ScoreMriSettings),
    ("U-Net", "Sizes of the network, `napari-pogmdm train --rival unet`.", UnetShape),
    ("VarNet", "Sizes of the network, `napari-pogmdm train --rival varnet`.", VarnetShape),
    ("Deep J-Sense", "Sizes of the network, `napari-pogmdm train --rival jsense`.", JsenseShape),
    ("Training of a rival", "`napari-pogmdm train --rival`.", RivalSettings),
)


def page() -> str:
    """Give the whole page as Markdown."""
    return HEAD + "".join(f"\n## {title}\n\n{about}\n\n{table(kind)}" for title, about, kind in ABOUT)


def table(kind: type[Settings]) -> str:
    """Give the table of a class of settings."""
    rows = ["| setting | symbol | default | allowed | meaning |", "|---|---|---|---|---|"]
    rows += [f"| {' | '.join(_cells(one))} |" for one in describe(kind).values()]
    return "\n".join(rows) + "\n"


def _cells(one: Setting) -> tuple[str, ...]:
    default = str(one.default).lower() if one.kind is bool else f"{one.default}"
    unit = f", {one.unit}" if one.unit else ""
    formula = f" `{one.formula}`" if one.formula else ""
    needed = "; ".join(f"`{name}` {_either(values)}" for name, values in one.only_with.items())
    remarks = [part for part in ("live" if one.live else "", f"only with {needed}" if needed else "") if part]
    told = f"{one.meaning[0].upper()}{one.meaning[1:]}.{formula}" + (f" *{'; '.join(remarks)}*" if remarks else "")
    cells = (f"`{one.name}`", one.symbol, default, f"{one.wanted}{unit}", told)
    return tuple(cell.replace("|", r"\|") for cell in cells)


def _either(values: tuple[str | bool, ...]) -> str:
    return " or ".join("on" if value is True else "off" if value is False else value for value in values)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
