#!/bin/sh
# Runs every example and ends with one table. Fails if an example failed.
# usage: run_all.sh BUILD_DIR [OPTION...]   BUILD_DIR is Kiln's or that of the examples alone;
#                                           options, such as --small, go to every example
here=$(dirname "$0")
[ $# -gt 0 ] || { echo "usage: $0 BUILD_DIR [OPTION...]" >&2; exit 2; }
build=$1
shift
[ -d "$build/examples" ] && build=$build/examples

results=$(mktemp) || exit 2
trap 'rm -f "$results"' EXIT
tab=$(printf '\t')
for name in vector_add matmul_tiled convolution convolution_cpp300 convolution_cpp120 nbody \
            radix_sort ordered_append ordered_append_cpp build_error; do
  echo "== $name"
  "$build/$name" --out "$build" --result "$results" "$@"
  # one that crashed has left no line
  grep -q "^$name$tab" "$results" || printf '%s\t-\t-\t-\tFAILED\n' "$name" >>"$results"
done
echo
"$here/summary" "$results"
