"""Reconstruct k-space that you have as an array, and save the result.

python examples/own_arrays.py
"""

import numpy as np

import napari_pogmdm as pg

# In place of your own arrays: k-space (coils, rows, columns) with zero frequency in the
# middle, and the image to compare with.
scan = pg.phantom_scan((96, 96), coils=8)[0]
kspace, truth = np.asarray(scan.kspace), pg.reference_image(scan)

# True where a sample was measured: every third column, and 12 columns in the middle (the ACS).
mask = np.zeros(kspace.shape[-2:], dtype=bool)
mask[:, ::3] = mask[:, 42:54] = True

y = pg.measure(kspace, mask)
print(y)
baseline = pg.reconstruct(y, "cg-sense")
# Image and coils together, with the learned prior.
result = pg.reconstruct(y, preset="fast")
for one in (baseline, result):
    print(f"{one}: {pg.metrics(truth, one.image).psnr:.1f} dB")
# Image, coils, and the record from which the run can be repeated.
result.save("mine.h5")
