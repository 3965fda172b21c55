#!/bin/sh
# Runs a command in a window system: the one there is, or else a virtual screen of its own.
set -eu
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" != Linux ]; then
    exec "$@"
fi
command -v xvfb-run >/dev/null || { echo "There is no display, and no Xvfb to stand in for it; install xvfb." >&2; exit 1; }
exec xvfb-run --auto-servernum --server-args="-screen 0 1600x1000x24 +extension GLX" "$@"
