"""Draw several chains, and see whether they differ where they are wrong.

python examples/ensemble.py
"""

import numpy as np

import napari_pogmdm as pg

scan = pg.open_scan("demo")[0]  # a real head, 13 coils; or the path of a fastMRI file
y = pg.measure(scan, pg.make_mask("cartesian", scan.shape, acceleration=6))
truth = pg.reference_image(scan)

# The presets add little noise during the run, so that one chain is good; more noise makes
# chains differ.
result = pg.reconstruct(y, preset="fast", chains=4, seed=0, injected_noise=0.5)
print(f"{result}: {pg.metrics(truth, result.image).psnr:.1f} dB")

deviation = np.sqrt(result.variance)
error = np.abs(result.image - truth)
doubtful = deviation > np.percentile(deviation, 90)
print(f"standard deviation over chains: {100 * deviation.mean() / truth.max():.2f} % of the largest intensity")
print(f"where it is largest, the error is {error[doubtful].mean() / error[~doubtful].mean():.1f} times that elsewhere")
