"""What the window says about each setting of the sampler: one row a setting, in groups."""

from __future__ import annotations

from dataclasses import dataclass, fields

from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.sampler.settings import Algorithm, SamplerSettings

GROUPS = ("schedule", "corrector", "data", "coils", "end")
OTHER = "other"
_PAPER, _SPLITTING = "predictor-corrector", "splitting"


@dataclass(frozen=True)
class SettingRow:
    """How a setting is shown.

    Attributes
    ----------
    name
        Of the field of `SamplerSettings`.
    label, symbol, formula, meaning
        Words in the form; the paper's symbol; the formula it stands in; what it does.
    group
        One of `GROUPS`.
    low, high, step
        Of numbers; ``step`` 0 lets a spin box choose a step that fits the value.
    choices
        Of words.
    algorithms
        That use it; all if empty.
    """

    name: str
    label: str
    meaning: str
    group: str
    symbol: str = ""
    formula: str = ""
    low: float = 0.0
    high: float = 1e6
    step: float = 0.0
    choices: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()

    @property
    def tooltip(self) -> str:
        """Rich text with symbol, formula and meaning."""
        head = f"<b>{self.symbol}</b>: " if self.symbol else ""
        formula = f"<br><i>{self.formula}</i>" if self.formula else ""
        return f"<p>{head}{self.meaning}{formula}<br><small>{self.name}</small></p>"

    def used_by(self, settings: SamplerSettings) -> bool:
        """Whether the setting matters with these."""
        if self.algorithms and settings.algorithm not in self.algorithms:
            return False
        if self.name in _OF_COIL_UPDATES:
            return settings.update_coils and not settings.real_image
        return not (settings.real_image and self.name in {"update_coils", "coil_start", "map_sets"})


_OF_COIL_UPDATES = {"coil_interval", "coil_step", "coil_smoothing", "renormalise"}

ROWS = (
    SettingRow(
        "algorithm",
        "Algorithm",
        "predictor-corrector is the paper's Algorithm 1; splitting alternates the Tweedie estimate with an exact data "
        "step on a short schedule",
        "schedule",
        choices=tuple(Algorithm),
    ),
    SettingRow(
        "iterations",
        "Iterations",
        "steps of the whole schedule, of which t<sub>0</sub> N are run; for splitting, the number of noise levels",
        "schedule",
        symbol="N",
        low=1,
        high=100_000,
        step=1,
    ),
    SettingRow(
        "start_time",
        "Start time",
        "share of the schedule that is run: where the noised zero-filled image enters it",
        "schedule",
        symbol="t<sub>0</sub> / T",
        formula="i<sub>0</sub> = round(t<sub>0</sub> N)",
        low=1e-6,
        high=1.0,
        step=0.01,
        algorithms=(_PAPER,),
    ),
    SettingRow(
        "schedule_power",
        "Power",
        "bends the schedule: larger powers spend more steps at low noise",
        "schedule",
        symbol="p",
        formula="zeta(t) = zeta<sub>max</sub> (zeta<sub>min</sub> / zeta<sub>max</sub>)<sup>(1 - t)^p</sup>",
        low=1e-3,
        high=100.0,
        step=0.5,
        algorithms=(_PAPER,),
    ),
    SettingRow(
        "largest_noise",
        "Largest noise",
        "noise standard deviation at the upper end of the schedule, in units of the normalised image",
        "schedule",
        symbol="zeta<sub>max</sub>",
        low=1e-6,
        high=1e4,
    ),
    SettingRow(
        "smallest_noise",
        "Smallest noise",
        "noise standard deviation at which a run ends, in units of the normalised image",
        "schedule",
        symbol="zeta<sub>min</sub>",
        low=1e-8,
        high=1e3,
    ),
    SettingRow(
        "injected_noise",
        "Fresh noise",
        "share of the current level that is added before each estimate, so that chains differ; 0 is deterministic",
        "schedule",
        formula="x + eta sigma z, z normal",
        symbol="eta",
        low=0.0,
        high=10.0,
        step=0.05,
        algorithms=(_SPLITTING,),
    ),
    SettingRow(
        "corrector_steps",
        "Langevin steps",
        "corrector steps after each predictor step",
        "corrector",
        symbol="M",
        low=0,
        high=100,
        step=1,
        algorithms=(_PAPER,),
    ),
    SettingRow(
        "corrector_ratio",
        "Signal to noise",
        "length of a Langevin step against the noise it adds, apart for real and imaginary part",
        "corrector",
        symbol="r",
        formula="eps = 2 r |xi|<sup>2</sup> / |score|<sup>2</sup>",
        low=0.0,
        high=100.0,
        step=0.01,
        algorithms=(_PAPER,),
    ),
    SettingRow(
        "data_step",
        "Data step",
        "length of the gradient step towards the measured samples",
        "data",
        symbol="lambda",
        formula="x - lambda A<sup>H</sup>(A x - y)",
        low=0.0,
        high=100.0,
        step=0.05,
        algorithms=(_PAPER,),
    ),
    SettingRow(
        "data_noise",
        "Noise of data",
        "noise standard deviation of the normalised data; 0 finds it on the way",
        "data",
        symbol="sigma<sub>y</sub>",
        low=0.0,
        high=10.0,
        algorithms=(_SPLITTING,),
    ),
    SettingRow(
        "prior_weight",
        "Prior weight",
        "how much the estimate counts against the data",
        "data",
        symbol="kappa",
        formula="|A x - y|<sup>2</sup> + (kappa sigma<sub>y</sub> / sigma)<sup>2</sup> |x - x<sub>0</sub>|<sup>2</sup>",
        low=1e-6,
        high=1e3,
        step=0.05,
        algorithms=(_SPLITTING,),
    ),
    SettingRow(
        "conjugate_gradients",
        "CG iterations",
        "conjugate-gradient iterations spent on each data step",
        "data",
        low=1,
        high=1000,
        step=1,
        algorithms=(_SPLITTING,),
    ),
    SettingRow(
        "momentum",
        "Momentum",
        "how far to go on in the direction of the last iteration before each estimate",
        "data",
        formula="x + m (x - x<sub>before</sub>)",
        low=0.0,
        high=1.0,
        step=0.1,
        algorithms=(_SPLITTING,),
    ),
    SettingRow(
        "turn_images",
        "Turn images",
        "mirror and turn the image before each estimate, another way in each iteration, and back after it; filters "
        "that treat orientations differently then treat them alike on average",
        "data",
        algorithms=(_SPLITTING,),
    ),
    SettingRow(
        "update_coils",
        "Estimate coils",
        "estimate coil sensitivities jointly with the image; otherwise they stay as they start",
        "coils",
    ),
    SettingRow(
        "coil_start",
        "First coils",
        "how the first coils are found; auto looks at the mask",
        "coils",
        symbol="s<sub>0</sub>",
        choices=tuple(CoilStart),
    ),
    SettingRow(
        "map_sets",
        "Map sets",
        "sets of coil maps, each with its own image; a second one is for a field of view that wraps",
        "coils",
        low=1,
        high=4,
        step=1,
        algorithms=(_SPLITTING,),
    ),
    SettingRow(
        "coil_interval",
        "Coil interval",
        "coils are updated in every so many-th iteration; in between, data steps are for the image alone",
        "coils",
        low=1,
        high=100_000,
        step=1,
    ),
    SettingRow(
        "coil_step",
        "Coil step",
        "length of the gradient step of the coils",
        "coils",
        symbol="alpha",
        formula="s + alpha conj(x) r",
        low=0.0,
        high=1e3,
        step=0.1,
        algorithms=(_PAPER,),
    ),
    SettingRow(
        "coil_smoothing",
        "Coil smoothing",
        "strength with which the coils are smoothed after each step; for splitting, what the roughness of coils costs "
        "against the data, in units of the data's noise variance",
        "coils",
        symbol="beta",
        formula="s = (I + beta L)<sup>-1</sup>(s + alpha conj(x) r)",
        low=0.0,
        high=1e6,
        step=0.1,
    ),
    SettingRow(
        "renormalise",
        "Keep RSS(s) = 1",
        "move the root sum of squares of the coils into the image after each coil step; the paper does not",
        "coils",
        symbol="RSS(s)",
    ),
    SettingRow(
        "real_image",
        "Real image",
        "keep a real image and coils that are 1: the paper's single-coil experiments",
        "end",
    ),
    SettingRow(
        "final_denoise",
        "Final estimate",
        "end with one Tweedie estimate; the paper does not",
        "end",
        symbol="E[x<sub>0</sub> | x<sub>t</sub>]",
    ),
)


def rows() -> tuple[SettingRow, ...]:
    """Give a row for every setting there is; one that is not described yet gets its name, in a group of its own."""
    known = {row.name for row in ROWS}
    plain = (SettingRow(one.name, one.name, one.name, OTHER) for one in fields(SamplerSettings))
    return (*ROWS, *(row for row in plain if row.name not in known))
