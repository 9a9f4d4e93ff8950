#!/bin/sh
# clpeak runs to its end on Kiln; no test of it reports an error.
set -eu
out=$(clpeak 2>&1) || { echo "$out"; exit 1; }
echo "$out"
echo "$out" | grep -q 'Platform: Kiln'
echo "$out" | grep -q 'Kernel launch latency'
if echo "$out" | grep -iE 'error|failed|exception'; then exit 1; fi
