"""Compiling before anything is timed, with a line that says so where it takes a while."""

from __future__ import annotations

import threading

import typer

_PATIENCE = 1.0  # seconds; code that was kept is there sooner, and nobody needs to be told
_SHAPE = (32, 32)  # of a phantom: small, and compiled code is the same for all sizes
_ITERATIONS = 5  # with image steps and joint steps among them


def compile_ahead() -> None:
    """Run every compiled loop of a reconstruction once, so that none is compiled inside a time that is printed."""
    from napari_pogmdm.data.phantom import shepp_logan
    from napari_pogmdm.data.simulate import simulate_scan
    from napari_pogmdm.physics.masks.kinds import make_mask
    from napari_pogmdm.recon.measurement import undersample
    from napari_pogmdm.recon.methods import reconstruct

    line = "Compiling for this computer, which takes some seconds the first time ..."
    notice = threading.Timer(_PATIENCE, typer.echo, (line,), {"err": True})
    notice.daemon = True
    notice.start()
    try:
        measurement = undersample(simulate_scan(shepp_logan(_SHAPE), coils=2), make_mask("cartesian", _SHAPE, 2, 0.3))
        for model in ("flf-tc", "sh-1"):
            reconstruct(measurement, model=model, choose="none", coil_start="low-pass", stop_after=_ITERATIONS)
    finally:
        notice.cancel()
