#!/bin/sh
# Makes the recorded run that ships with the package; needs some ten seconds to a minute of computing.
set -eu
exec "${BIN:-.venv/bin}/napari-pogmdm" record demo --preset default --every 2 --coils-every 8 --limit 4 --device cpu \
    -o "${1:-src/napari_pogmdm/data/demo/head_13_coils.pogmdm.h5}"
