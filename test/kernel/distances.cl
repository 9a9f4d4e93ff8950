// Loops whose end lies as far from where they begin for all work-items: pointers and counters up to one that is compared
// with what both come of, forwards and backwards, in steps, around the end of the numbers, and where ends do differ.
// run: -k pointers -g 100 '(float)[1000]=i' 10 '(float)[100]'
// expect: 2: 45+i*100
// run: -k pointers_below -g 100 '(float)[1000]=i' 10 '(float)[100]'
// expect: 2: 45+i*100
// run: -k backwards -g 100 '(float)[1000]=i' 10 '(float)[100]'
// expect: 2: 45+i*100
// run: -k counters -g 100 '(float)[1000]=i' 10 '(float)[100]'
// expect: 2: 45+i*100
// run: -k rows -g 100 '(float)[1000]=i' 10 '(float)[100]'
// expect: 2: 45+i*100
// run: -k columns -g 100 '(float)[1000]=i' 100 '(float)[100]'
// expect: 2: 4500+i*10
// run: -k around -g 100 10 '[100]'
// expect: 1: 10
// run: -k own_ends -g 100 '(int)[100]=i%7' '(int)[1000]=i' 10 '(int)[100]'
// expect: 3: i%7*(i%7-1)/2+i%7*i*10
// run: -k stopped -g 100 '(int)[1000]=i%10' 10 4 '(int)[100]'
// expect: 3: 4
// run: -k nested -g 100 '(float)[1200]=i' 3 4 '(float)[100]'
// expect: 3: 66+i*144
// run: -k behind -g 100 '(float)[1000]=i' 10 '(float)[100]'
// expect: 2: i*10+9
// run: -k none -g 100 '(float)[1000]=i' 0 '(float)[100]'
// expect: 2: 0
// run: -k unsigned_counters -g 100 '(float)[1000]=i' 10 '(float)[100]'
// expect: 2: 45+i*100
// run: -k sizes -g 100 '(float)[1000]=i' 10 '(float)[100]'
// expect: 2: 45+i*100
// run: -k longs_backwards -g 100 '(float)[1000]=i' 10 '(float)[100]'
// expect: 2: 45+i*100
// run: -k over_the_end -g 100 10 '[100]'
// expect: 1: i>=40&&i<50?0:10
// run: -k in_twos -g 100 10 '[100]'
// expect: 1: i>=40&&i<50?0:5
kernel void pointers(global const float *in, int n, global float *out) {
  const int i = get_global_id(0);
  float sum = 0;
  for (global const float *p = in + i * n, *end = p + n; p != end; p++) sum += *p;
  out[i] = sum;
}

kernel void pointers_below(global const float *in, int n, global float *out) {
  const int i = get_global_id(0);
  float sum = 0;
  for (global const float *p = in + i * n, *end = p + n; p < end;) sum += *p++;
  out[i] = sum;
}

kernel void backwards(global const float *in, int n, global float *out) {
  const int i = get_global_id(0);
  float sum = 0;
  global const float *first = in + i * n;
  for (global const float *p = first + n; p > first;) sum += *--p;
  out[i] = sum;
}

kernel void counters(global const float *in, int n, global float *out) {
  const int i = get_global_id(0), end = i * n + n;
  float sum = 0;
  for (int k = i * n; k < end; k++) sum += in[k];
  out[i] = sum;
}

kernel void rows(global const float *in, int n, global float *out) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = i * n; k < (i + 1) * n; k++) sum += in[k];
  out[i] = sum;
}

kernel void columns(global const float *in, int step, global float *out) {
  const int i = get_global_id(0), end = i + 10 * step;
  float sum = 0;
  for (int k = i; k != end; k += step) sum += in[k];
  out[i] = sum;
}

kernel void around(uint n, global uint *out) {
  const uint i = get_global_id(0), first = 0xfffffffbu + i, end = first + n;
  uint turns = 0;
  for (uint k = first; k != end; k++) turns++;
  out[i] = turns;
}

kernel void own_ends(global const int *turns, global const int *in, int n, global int *out) {
  const int i = get_global_id(0);
  int sum = 0;
  for (global const int *p = in + i * n, *end = p + turns[i]; p != end; p++) sum += *p;
  out[i] = sum;
}

kernel void stopped(global const int *in, int n, int sought, global int *out) {
  const int i = get_global_id(0);
  global const int *first = in + i * n, *p = first, *end = first + n;
  while (p < end && *p != sought) p++;
  out[i] = p - first;
}

kernel void nested(global const float *in, int n, int m, global float *out) {
  const int i = get_global_id(0);
  float sum = 0;
  for (global const float *row = in + i * n * m, *end = row + n * m; row != end; row += m)
    for (global const float *p = row, *last = row + m; p != last; p++) sum += *p;
  out[i] = sum;
}

kernel void behind(global const float *in, int n, global float *out) {
  const int i = get_global_id(0);
  global const float *p = in + i * n, *end = p + n;
  while (p != end) p++;
  out[i] = p[-1];
}

kernel void none(global const float *in, int n, global float *out) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = i * 2; k < i * 2 + n; k++) sum += in[k];
  out[i] = sum;
}

kernel void unsigned_counters(global const float *in, uint n, global float *out) {
  const uint i = get_global_id(0);
  float sum = 0;
  for (uint k = i * n; k < i * n + n; k++) sum += in[k];
  out[i] = sum;
}

kernel void sizes(global const float *in, uint n, global float *out) {
  const size_t i = get_global_id(0);
  float sum = 0;
  for (size_t k = i * n; k < (i + 1) * n; ++k) sum += in[k];
  out[i] = sum;
}

kernel void longs_backwards(global const float *in, long n, global float *out) {
  const long i = get_global_id(0);
  float sum = 0;
  for (long k = i * n + n; k > i * n; k--) sum += in[k - 1];
  out[i] = sum;
}

// Where the end lies beyond the last number there are no turns.
kernel void over_the_end(uint n, global uint *out) {
  const uint i = get_global_id(0), first = i - 50u;
  uint turns = 0;
  for (uint k = first; k < first + n; k++) turns++;
  out[i] = turns;
}

kernel void in_twos(uint n, global uint *out) {
  const uint i = get_global_id(0), first = i - 50u;
  uint turns = 0;
  for (uint k = first; k < first + n; k += 2) turns++;
  out[i] = turns;
}
