#!/bin/sh
# pyopencl, numpy and mako (for its reductions) from PyPI into the folder $1, once.
set -eu
[ -x "$1/bin/python" ] && "$1/bin/python" -c 'import mako, pyopencl' 2>/dev/null && exit 0
python3 -m venv "$1"
"$1/bin/pip" install -q --disable-pip-version-check numpy mako pyopencl
