"""Take the paper's Algorithm 1 line by line, then iteration by iteration, and look at the images.

python examples/stepping.py
"""

import napari_pogmdm as pg

scan = pg.phantom_scan((96, 96), coils=6)[0]
y = pg.measure(scan, pg.make_mask("cartesian", scan.shape, acceleration=3))
truth = pg.reference_image(scan)

sampler = pg.make_sampler(y, pg.load_prior("flf-tc"), pg.preset("paper"))
state = sampler.start()  # plain data: keep it, go back to it, go on from it
for line in sampler.plan:
    state = sampler.substep(state)
    print(f"{line:8} residual {sampler.misfit(state):.3f}")
while state.iteration < 40:
    state = sampler.step(state)
print(f"iteration {state.iteration} of {sampler.steps}, sigma {sampler.level(state):.3f}")

# One chain; images are |x| RSS(s).
rss = state.coils[0].abs().square().sum(dim=0).sqrt()
for name, image in (("iterate", state.image), ("Tweedie estimate", sampler.tweedie(state))):
    shown = (image[0].abs() * rss * y.scale).numpy()
    print(f"{name}: {pg.metrics(truth, shown).psnr:.1f} dB")
