#!/bin/sh
# golden.sh KILN FILE.cl           compares what compiler stages make of a kernel with FILE.W.txt, W lanes
# golden.sh KILN FILE.cl --update  writes FILE.W.txt anew: read the difference before you commit it
#
# The first line of FILE.cl is "// golden: WIDTHS; STAGES; ARGUMENTS OF kiln run". Functions only; neither the cache
# nor the processor at hand has a say.
set -u
kiln=$1 file=$2 update=${3:-}
spec=$(sed -n '1s|^// golden: ||p' "$file")
[ -n "$spec" ] || { echo "$file: the first line is no '// golden:' line" >&2; exit 2; }
widths=${spec%%;*} rest=${spec#*;}
stages=$(echo "${rest%%;*}" | tr -d ' ') arguments=${rest#*;}
made=$(mktemp) || exit 2
trap 'rm -f "$made" "$made.log"' EXIT
bad=0
for width in $widths; do
  if ! eval "KILN_CACHE_DIR= KILN_CPU_FEATURES=sse2 KILN_WIDTH=$width \"$kiln\" run \"$file\" --dump $stages $arguments" 2> "$made.log" > /dev/null; then
    cat "$made.log" >&2
    exit 1
  fi
  sed -n -e '/^; ---- kiln/p' -e '/^define/,/^}/p' "$made.log" | sed -e 's/ #[0-9]*//g' -e 's/,* ![a-z_.]* ![0-9]*//g' > "$made"
  [ -s "$made" ] || { echo "$file: nothing was dumped" >&2; exit 1; }
  want=${file%.cl}.$width.txt
  if [ "$update" = --update ]; then
    cp "$made" "$want"
  elif ! diff -u "$want" "$made"; then
    echo "$file: the stages $stages differ at $width lanes; if that is meant: $0 $kiln $file --update" >&2
    bad=1
  fi
done
exit $bad
