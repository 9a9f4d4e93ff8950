#!/bin/sh
# With a warm cache a program runs to its verified result without mapping the compiler library.
set -eu
KILN_CACHE_DIR=$(mktemp -d)
export KILN_CACHE_DIR
trap 'rm -rf "$KILN_CACHE_DIR"' EXIT
cold=$("$1")
warm=$("$1")
echo "empty cache: $cold; warm cache: $warm"
case $cold in *compiler-mapped) ;; *) echo "the first run did not compile"; exit 1 ;; esac
case $warm in *compiler-not-mapped) ;; *) echo "the second run mapped the compiler"; exit 1 ;; esac
