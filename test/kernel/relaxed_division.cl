// Quotients by infinity and by nothing are no NaN under relaxed math either: programs clamp them, or divide by what has
// overflowed.
// run: -b -cl-fast-relaxed-math -k quotients -g 100 '(float)[100]' '(float)[100]=i' '(uint)[100]=i%2==0?2139095040:1073741824'
// expect: 0: i%2==0?0:i/2
// run: -b -cl-fast-relaxed-math -k over_nothing -g 100 '(uint)[100]' '(float)[100]=i+1' '(float)[100]'
// expect: 0: 2139095040
kernel void quotients(global float *out, global const float *x, global const uint *bits) {
  int i = get_global_id(0);
  out[i] = x[i] / as_float(bits[i]);
}

kernel void over_nothing(global uint *out, global const float *x, global const float *y) {
  int i = get_global_id(0);
  out[i] = as_uint(x[i] / y[i]);
}
