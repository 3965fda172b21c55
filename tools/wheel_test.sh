#!/bin/sh
# Builds the wheel twice, compares, and uses it in environments of its own: without Qt, and with it.
#   tools/wheel_test.sh [PYTHON ...]     interpreters to try; without any, that of .venv
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- .venv/bin/python

for turn in one two; do
    .venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/$turn" .
done
wheel=$(ls "$work"/one/*.whl)
cmp "$wheel" "$work/two/$(basename "$wheel")"
size=$(wc -c < "$wheel")
echo "$(basename "$wheel"): $size bytes, built twice with the same bits"
[ "$size" -le 6000000 ] || { echo "the wheel is larger than 6 MB" >&2; exit 1; }

for python; do
    environment="$work/environment"
    "$python" -m venv --clear "$environment"
    pip="$environment/bin/python -m pip --quiet --disable-pip-version-check"
    program="$environment/bin/napari-pogmdm"
    $pip install --constraint constraints.txt "$wheel"
    (cd "$work"
        "$program" doctor
        "$program" reconstruct phantom --method cg-sense -o without.h5
        "$environment/bin/python" -m napari_pogmdm --version
        if QT_QPA_PLATFORM=offscreen "$program" window phantom 2>told; then echo "a window without Qt?" >&2; exit 1; fi
        cat told
        grep -q 'napari-pogmdm\[qt\]' told)
    $pip install --constraint constraints.txt "$wheel[all]"
    tools/with_display.sh "$program" window phantom --screenshot "$work/window.png"
    [ -s "$work/window.png" ]
    echo "$("$python" --version): the wheel works without Qt and with it"
done
