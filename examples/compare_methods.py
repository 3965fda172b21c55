"""Several methods on the same measurement, as a table; the phantom's flat ellipses suit total variation.

python examples/compare_methods.py
"""

import napari_pogmdm as pg

# For a real head, take pg.open_scan("demo")[0]. The networks of docs/rivals.md need a
# checkpoint, and are left out here.
scan = pg.phantom_scan((96, 96), coils=8)[0]
y = pg.measure(scan, pg.make_mask("gaussian", scan.shape, acceleration=5))
truth = pg.reference_image(scan)

print("method        PSNR / dB   SSIM    seconds")
for method in ("zero-filled", "cg-sense", "tv", "joint-tv", "pogmdm"):
    options = {"preset": "fast"} if method == "pogmdm" else {}
    result = pg.reconstruct(y, method, **options)
    numbers = pg.metrics(truth, result.image)
    print(f"{method:12} {numbers.psnr:10.2f} {numbers.ssim:7.3f} {result.record.seconds:9.1f}")
