// One divisor for all work-items: a multiplication by its inverse, whatever the sign of either.
// run: -k quotients -g 1000 '[1000]=i*7919-3000000' '[1000]' '[1000]' 77
// expect: 1: (i*7919-3000000-(i*7919-3000000)%77)/77
// expect: 2: (i*7919-3000000)%77
// run: -k quotients -g 1000 '[1000]=i*7919-3000000' '[1000]' '[1000]' -13
// expect: 1: (i*7919-3000000-(i*7919-3000000)%13)/(0-13)
// expect: 2: (i*7919-3000000)%13
// run: -k quotients -g 1000 '[1000]=i<500 ? 2147483647-i : i-500-2147483647' '[1000]' '[1000]' 1
// expect: 1: i<500 ? 2147483647-i : i-500-2147483647
// expect: 2: 0
// run: -k quotients -g 1000 '[1000]=i-2147483647' '[1000]' '[1000]' -1
// expect: 1: 2147483647-i
// expect: 2: 0
kernel void quotients(global const int *a, global int *q, global int *r, int d) {
  int i = get_global_id(0), x = a[i];
  q[i] = x / d;
  r[i] = x % d;
}

// Nothing stops the kernel where there is no quotient, nor where the program looks at the divisor itself.
// run: -k none -g 1000 '[1000]=i' 0
// expect: 0: 5
// run: -k none -g 1000 '[1000]=i' -1
// expect: 0: 5
kernel void none(global int *out, int d) {
  int i = get_global_id(0), x = i == 3 ? -2147483647 - 1 : i;
  int q = x / d, r = x % d, s = i / (i == 7 ? 1 : d);
  out[i] = ((q ^ r ^ s) == 123456789) + 5;
}
