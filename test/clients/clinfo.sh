#!/bin/sh
# clinfo lists every property of Kiln without an error line.
set -eu
out=$(clinfo -a 2>&1)
echo "$out" | grep -q 'Platform Name *Kiln' || { echo "$out" | head -20; echo "clinfo does not see Kiln"; exit 1; }
if echo "$out" | grep -v 'Error Correction support' | grep -iE 'error|unknown|CL_INVALID'; then
  echo "clinfo met the lines above"
  exit 1
fi
echo "$(echo "$out" | wc -l) lines, no error"
