#!/bin/sh
# Makes the recorded run of the paper's algorithm that starts from noise alone; needs some ten seconds to a minute.
set -eu
# At start_time 0.25 the noise level is 1.12: it hides the zero-filled image that the paper's start at 0.2 (0.489) lets through.
exec "${BIN:-.venv/bin}/napari-pogmdm" recording demo --preset paper-tuned --set start_time=0.25 \
    --every 10 --roles image,tweedie,error --limit 4 --device cpu \
    -o "${1:-src/napari_pogmdm/data/demo/from_noise.pogmdm.h5}"
