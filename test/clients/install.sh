#!/bin/sh
# An installed Kiln is found through its .icd, compiles, runs, and serves programs that ask pkg-config for it.
# usage: install.sh CMAKE BUILD CC
set -eu
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
"$1" --install "$2" --prefix "$root" >"$root/log" || { cat "$root/log"; exit 1; }
export OCL_ICD_VENDORS="$root/etc/OpenCL/vendors" KILN_CACHE_DIR=
unset KILN_COMPILER KILN_COMPILE_HELPER
clinfo -l | grep Kiln
"$root/bin/kiln" doctor | tee "$root/doctor"
grep -q "$root/.*/libkiln-compiler.so" "$root/doctor"
KILN_COMPILE_MODE=helper "$root/bin/kiln" doctor >/dev/null
[ "$("$root/bin/kiln" bench --list | wc -l)" -ge 40 ]
cat >"$root/user.c" <<'END'
#define CL_TARGET_OPENCL_VERSION 300
#include <kiln/kiln.h>
#include <stdio.h>
int main(void) {
  cl_platform_id p;
  if (clGetPlatformIDs(1, &p, NULL) != CL_SUCCESS) return 1;
  kiln_last_error_fn *last = (kiln_last_error_fn *)clGetExtensionFunctionAddressForPlatform(p, "kiln_last_error");
  clGetPlatformInfo(p, 0, 0, NULL, NULL);
  return last == NULL || puts(last()) < 0;
}
END
flags=$(PKG_CONFIG_PATH="$root/share/pkgconfig" pkg-config --cflags --libs kiln)
"$3" -o "$root/user" "$root/user.c" $flags
"$root/user" | grep param_name
