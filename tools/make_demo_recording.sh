#!/bin/sh
# Makes the recorded run that ships with the package; needs some ten seconds to a minute of computing.
set -eu
# It begins with noise of 0.3, 30 % of the maximum, rather than with the end of a quicker method as the preset does.
exec "${BIN:-.venv/bin}/napari-pogmdm" recording demo --preset posterior --set choose=none --set map_sets=1 \
    --set warm_start=false --set relative_levels=false --set largest_noise=0.3 --set smallest_noise=0.004 \
    --set iterations=60 --every 2 --coils-every 8 --limit 4 --device cpu \
    -o "${1:-src/napari_pogmdm/data/demo/head_13_coils.pogmdm.h5}"
