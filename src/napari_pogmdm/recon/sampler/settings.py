"""Everything that can be set about a sampler run; long because every setting is declared once, in words, here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.sampler.kinds import Algorithm as Algorithm
from napari_pogmdm.recon.sampler.kinds import Choosing as Choosing
from napari_pogmdm.settings import Conditions, Settings, describe, require_below, setting

ALIKE = "chains: without fresh noise (injected_noise) all chains are alike, and their standard deviation is zero."
_SCHEDULE, _CORRECTOR, _DATA, _COILS, _END = "Noise schedule", "Corrector", "Data consistency", "Coils", "Image and end"
_PAPER: Conditions = {"algorithm": (Algorithm.PREDICTOR_CORRECTOR,)}
_SPLITTING: Conditions = {"algorithm": (Algorithm.SPLITTING,)}
_POSTERIOR: Conditions = {"algorithm": (Algorithm.POSTERIOR,)}
_SOLVING: Conditions = {"algorithm": (Algorithm.SPLITTING, Algorithm.POSTERIOR)}
_LANGEVIN: Conditions = {"algorithm": (Algorithm.PREDICTOR_CORRECTOR, Algorithm.POSTERIOR)}
_COMPLEX: Conditions = {"real_image": (False,)}
_JOINTLY: Conditions = {"update_coils": (True,)}
_INTENSITY = "intensity of the normalised image"


@dataclass(frozen=True)
class SamplerSettings(Settings):
    """Settings of one run; immutable, validated, and the same for window, terminal, Python and tests."""

    title: ClassVar[str] = "sampler settings"

    algorithm: Algorithm = setting(
        Algorithm.PREDICTOR_CORRECTOR,
        "the paper's Algorithm 1 (predictor-corrector), or the Tweedie estimate in turn with an exact data step on a "
        "short schedule of noise levels (splitting), or the same with exact random draws (posterior)",
        group=_SCHEDULE,
    )
    iterations: int = setting(
        1000,
        "steps of the whole schedule, of which Algorithm 1 runs the share start_time; for the other algorithms, the "
        "number of noise levels",
        group=_SCHEDULE,
        symbol="N",
        within=(1, 100_000),
    )
    start_time: float = setting(
        0.2,
        "share of the schedule that is run; the run starts there, from the zero-filled image with noise added",
        group=_SCHEDULE,
        symbol="t_0 / T",
        formula="i_0 = round(t_0 N)",
        within=(1e-6, 1.0),
        step=0.01,
        only_with=_PAPER,
    )
    schedule_power: float = setting(
        5.0,
        "bends the schedule: larger powers spend more steps at high noise",
        label="Power",
        group=_SCHEDULE,
        symbol="p",
        formula="σ(t) = σ_max (σ_min / σ_max)^{(1 - t)^p}",
        within=(1e-3, 100.0),
        step=0.5,
        only_with=_PAPER,
    )
    largest_noise: float = setting(
        10.0,
        "noise level σ at the upper end of the schedule, a standard deviation: the paper's largest ζ, and √(2t) of its "
        "diffusion time t; the other algorithms go down from it to the smallest in even ratios",
        group=_SCHEDULE,
        symbol="σ_max",
        unit=_INTENSITY,
        within=(1e-6, 1e4),
    )
    smallest_noise: float = setting(
        0.001,
        "noise level σ at which a run ends",
        group=_SCHEDULE,
        symbol="σ_min",
        unit=_INTENSITY,
        within=(1e-8, 1e3),
    )
    relative_levels: bool = setting(
        False,
        "give the largest and smallest noise level in units of the data's noise σ_y",
        label="Levels in noise units",
        group=_SCHEDULE,
        only_with=_POSTERIOR,
    )
    warm_start: bool = setting(
        False,
        "start from the result of splitting, which is computed once for all chains; otherwise from a rough fit",
        group=_SCHEDULE,
        only_with=_POSTERIOR,
    )
    mirror_noise: bool = setting(
        False,
        "a chain with an odd seed uses the negative of the previous seed's noise, so that most of the noise cancels "
        "in the mean of both",
        group=_SCHEDULE,
        only_with=_POSTERIOR,
    )
    draw_width: float = setting(
        1.0,
        "width of the Gaussian around the estimate from which images are drawn, relative to the noise level",
        group=_DATA,
        symbol="c",
        formula="|A x - y|^2 / σ_y^2 + |x - x_0|^2 / (c σ)^2",
        within=(1e-3, 1e3),
        step=0.1,
        live=True,
        only_with=_POSTERIOR,
    )
    draw_noise: float = setting(
        1.0,
        "share of a draw's noise that is added: 1 draws from the Gaussian itself, a smaller share from a narrower one "
        "with the same mean, which brings single chains nearer to that mean",
        group=_DATA,
        symbol="τ",
        within=(0.0, 10.0),
        step=0.05,
        live=True,
        only_with=_POSTERIOR,
    )
    corrector_steps: int = setting(
        1,
        "Langevin steps after each predictor step",
        label="Langevin steps",
        group=_CORRECTOR,
        symbol="M",
        within=(0, 100),
        only_with=_LANGEVIN,
    )
    corrector_ratio: float = setting(
        0.16,
        "length of a Langevin step relative to the noise it adds, separately for real and imaginary part",
        label="Step ratio r",
        group=_CORRECTOR,
        symbol="r",
        formula="ε = 2 r |ξ|^2 / |score|^2",
        within=(0.0, 100.0),
        step=0.01,
        live=True,
        only_with=_LANGEVIN,
    )
    data_step: float = setting(
        1.0,
        "length of the gradient step towards the measured samples",
        group=_DATA,
        symbol="λ",
        formula="x - λ A^H(A x - y)",
        within=(0.0, 100.0),
        step=0.05,
        live=True,
        only_with=_PAPER,
    )
    data_noise: float = setting(
        0.0,
        "noise standard deviation of the normalised data; 0 estimates it during the run",
        label="Noise of data",
        group=_DATA,
        symbol="σ_y",
        unit=_INTENSITY,
        within=(0.0, 10.0),
        step=0.001,
        only_with=_SOLVING,
    )
    prior_weight: float = setting(
        0.4,
        "how much the prior's estimate counts against the data",
        group=_DATA,
        symbol="κ",
        formula="|A x - y|^2 + (κ σ_y / σ)^2 |x - x_0|^2",
        within=(1e-6, 1e3),
        step=0.05,
        live=True,
        only_with=_SPLITTING,
    )
    conjugate_gradients: int = setting(
        6,
        "conjugate-gradient iterations spent on each data step",
        label="CG iterations",
        group=_DATA,
        within=(1, 1000),
        live=True,
        only_with=_SOLVING,
    )
    momentum: float = setting(
        0.0,
        "how far to go on in the direction of the last iteration before each estimate",
        group=_DATA,
        symbol="m",
        formula="x + m (x - x_before)",
        within=(0.0, 1.0),
        step=0.1,
        live=True,
        only_with=_SPLITTING,
    )
    injected_noise: float = setting(
        0.0,
        "share of the noise level that is added before each estimate; without it splitting is deterministic",
        label="Fresh noise",
        group=_SCHEDULE,
        symbol="η",
        formula="x + η σ z, z normal",
        within=(0.0, 10.0),
        step=0.05,
        live=True,
        only_with=_SOLVING,
    )
    turn_images: bool = setting(
        False,
        "mirror and turn the image before each estimate, differently in each iteration, and undo it afterwards; on "
        "average, the filters then treat all orientations alike",
        group=_DATA,
        live=True,
        only_with=_SOLVING,
    )
    update_coils: bool = setting(
        True,
        "estimate coil sensitivities jointly with the image; otherwise they stay as they start",
        label="Estimate coils",
        group=_COILS,
        only_with=_COMPLEX,
    )
    coil_start: CoilStart = setting(
        CoilStart.ZERO_FILLED,
        "how the first coils are found; auto looks at the mask and, if choose is full, also tries other ways",
        label="First coils",
        group=_COILS,
        symbol="s_0",
        only_with=_COMPLEX,
    )
    map_sets: int = setting(
        1,
        "sets of coil maps, each with its own image; a second one is for scans whose field of view wraps; auto lets "
        "the data choose, or means 1 if choose is none",
        group=_COILS,
        within=(0, 4),
        zero="auto",
        only_with=_SOLVING | _COMPLEX,
    )
    choose: Choosing = setting(
        Choosing.NONE,
        "what short trials on the data decide, judged by samples that were left out: nothing (none), the number of "
        "map sets (quick), or also the first coils and the strength of their smoothing (full)",
        label="Data choose",
        group=_COILS,
        only_with=_SOLVING | _COMPLEX,
    )
    coil_interval: int = setting(
        1,
        "iterations from one update of the coils to the next, starting with the first; in between, data steps change "
        "the image alone. The paper updates coils in every iteration",
        group=_COILS,
        unit="iterations",
        within=(1, 100_000),
        live=True,
        only_with=_JOINTLY,
    )
    coil_step: float = setting(
        1.0,
        "length of the gradient step of the coils",
        group=_COILS,
        symbol="α",
        formula="s + α conj(x) r",
        within=(0.0, 1e3),
        step=0.1,
        live=True,
        only_with=_PAPER | _JOINTLY,
    )
    coil_smoothing: float = setting(
        1.0,
        "strength with which the coils are smoothed after each step; for splitting, the weight of the coils' "
        "roughness against the data, in units of the data's noise variance. If choose is full, this is the value for "
        "images of 224 pixels or more",
        group=_COILS,
        symbol="β",
        formula="s = (I + β L)^{-1} (s + α conj(x) r)",
        within=(0.0, 1e6),
        step=0.1,
        live=True,
        only_with=_JOINTLY,
    )
    renormalise: bool = setting(
        False,
        "move the root sum of squares of the coils into the image after each coil update; the paper does not",
        label="Keep RSS(s) = 1",
        group=_COILS,
        symbol="RSS(s)",
        live=True,
        only_with=_JOINTLY,
    )
    real_image: bool = setting(
        False, "keep a real image and coils that are 1: the paper's single-coil experiments", group=_END
    )
    final_denoise: bool = setting(
        False,
        "end with one Tweedie estimate; the paper does not",
        label="Final estimate",
        group=_END,
        symbol="E[x_0 | x_t]",
        live=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_below(self, "smallest_noise", "largest_noise")

    @property
    def sets(self) -> int:
        """Sets of coil maps of a run whose data did not choose."""
        return self.map_sets or 1


LIVE_SETTINGS = tuple(name for name, one in describe(SamplerSettings).items() if one.live)
"""Settings that may change between two substeps; all others decide what a run starts from, or its plan."""
