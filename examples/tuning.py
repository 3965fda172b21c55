"""Choose settings on your own scans, one after another, by the PSNR of the result.

    python examples/tuning.py

`napari-pogmdm tune` does the same from the terminal, with files, and writes a preset.
"""

import napari_pogmdm as pg
from napari_pogmdm.evaluation.tuning import Interval, TuningCase, tune

cases = []
for seed, acceleration in ((0, 3), (1, 4)):
    scan = pg.phantom_scan((64, 64), coils=6, signal_to_noise=50, seed=seed)[0]
    y = pg.measure(scan, pg.make_mask("cartesian", scan.shape, acceleration))
    cases.append(TuningCase(f"phantom, {acceleration}-fold", y, pg.reference_image(scan)))

best, trials = tune(
    cases,
    pg.load_prior("flf-tc"),
    pg.preset("fast"),
    {
        "prior_weight": Interval(0.2, 2.0, evaluations=4),  # golden-section search
        "momentum": [0.5, 0.7],  # one by one
    },
    tried=lambda trial: print(f"{trial.setting} = {trial.value:.3g}: {trial.mean:.2f} dB"),
)
print(f"chosen: prior_weight {best.prior_weight:.3g}, momentum {best.momentum:g}, after {len(trials)} trials")
