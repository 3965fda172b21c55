#!/bin/sh
# Makes .venv with everything the project needs. On Debian and Ubuntu it also sees to the system libraries: as root it
# installs them, otherwise it says which one command to run.
set -eu
cd "$(dirname "$0")/.."

python=
for candidate in python3.11 python3 python3.12 python3.13; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        python=$(command -v "$candidate")
        break
    fi
done
[ -n "$python" ] || { echo "Python 3.11 or newer is needed; install it and try again." >&2; exit 1; }

if command -v dpkg-query >/dev/null; then
    missing=""
    "$python" -c 'import ensurepip' 2>/dev/null || missing="$(basename "$("$python" -c 'import os, sys; print(os.path.realpath(sys.executable))')")-venv"
    while read -r package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
    done < tools/debian-packages.txt
    if [ -n "$missing" ] && [ "$(id -u)" = 0 ]; then
        apt-get update -qq
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
    elif [ -n "$missing" ]; then
        echo "System libraries are missing. Run this once, then try again:" >&2
        echo "  sudo apt-get install -y $missing" >&2
        exit 1
    fi
fi

[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -m pip install -qq --disable-pip-version-check \
    --constraint constraints.txt --editable '.[qt,baselines,nufft,export,cluster,dev]'
touch .venv/.installed
