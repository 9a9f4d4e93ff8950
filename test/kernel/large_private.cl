// Private arrays too large for the stack, of which each lane has a copy: of one size of element, of several, at indices
// that differ, across barriers, in groups of fewer work-items than lanes, and told apart from other memory.
// run: -k filtered -g 200 -l 50 '(float)[200]' '(float)[4500]=i'
// expect: 0: i+1499.5
// run: -k filtered -g 200 -l 1 '(float)[200]' '(float)[4500]=i'
// expect: 0: i+1499.5
// run: -k filtered -g 7 -l 7 '(float)[7]' '(float)[4500]=i'
// expect: 0: i+1499.5
// run: -k several -g 130 -l 65 '[130]' 3
// expect: 0: 3*((i+i%3)%200)+2*((7*i)%1000)+i
// run: -k several -g 24,3 -l 6,1 '[72]' 3
// expect: 0: 3*((i+i%3)%200)+2*((7*i)%1000)+i
// run: -k over_barrier -g 96 -l 32 '[96]'
// expect: 0: i%32==31 ? i-31+1000 : i+1+1000
// run: -k over_barrier -g 9 -l 3 '[9]'
// expect: 0: i%3==2 ? i-2+1000 : i+1+1000
// run: -k records -g 100 -l 20 '[100]'
// expect: 0: 300+(i+5)%300+i
// run: -k told_apart -g 64 -l 16 '[64]=i' -b '-cl-std=CL3.0'
// expect: 0: i%2==0 ? 2*i+3 : i+3

kernel void filtered(global float *out, global const float *in) {
  float a[3000];
  int i = get_global_id(0);
  for (int k = 0; k < 3000; k++) a[k] = in[i + k];
  float sum = 0;
  for (int k = 0; k < 2999; k++) a[k] = 0.5f * (a[k] + a[k + 1]) - (i + k);
  for (int k = 0; k < 2999; k++) sum += a[k]; /* 0.5 each */
  out[i] = sum + i;
}

kernel void several(global int *out, int n) {
  char small[200];
  double wide[1000];
  short shorts[200];
  int i = get_global_id(0) + get_global_size(0) * get_global_id(1);
  for (int k = 0; k < 200; k++) small[k] = k % 100, shorts[k] = k;
  for (int k = 0; k < 1000; k++) wide[k] = 2 * k;
  int at = (i + i % 3) % 200;
  out[i] = n * (small[at] == at % 100 ? shorts[at] : -1000) + (int)wide[7 * i % 1000] + i;
}

kernel void over_barrier(global int *out) {
  int own[2500], l = get_local_id(0), n = get_local_size(0);
  local int next[32];
  for (int k = 0; k < 2500; k++) own[k] = get_global_id(0) + k;
  next[l] = own[(l * 13) % 2500] - (l * 13) % 2500;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = own[2000] - own[1000]; /* 1000 */
  out[get_global_id(0)] = next[(l + 1) % n] + sum;
}

struct record {
  int number;
  char tag;
  short more;
};
kernel void records(global int *out) {
  struct record r[1200];
  int i = get_global_id(0);
  for (int k = 0; k < 1200; k++) {
    r[k].number = k % 300;
    r[k].tag = k % 7;
    r[k].more = 300;
  }
  int at = (i + 5) % 1200;
  out[i] = r[at].tag == at % 7 ? r[at].number + r[at].more + i : -1;
}

#if __OPENCL_C_VERSION__ >= 200
int taken(int *p) { return to_private(p) != 0 ? *p + 3 : to_local(p) != 0 ? -1 : *p + 3; }
kernel void told_apart(global int *x) {
  int own[100], i = get_global_id(0);
  for (int k = 0; k < 100; k++) own[k] = 2 * k;
  int *p = i & 1 ? (int *)&x[i] : (int *)&own[i];
  x[i] = taken(p);
}
#endif
