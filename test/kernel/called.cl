// Functions that stay functions, for vectors of work-items: with structures passed by value and given back, distances
// between work-items in their arguments, private arrays of theirs and of their callers, ids, and functions that they
// call. The tests called.* keep all functions.
// run: -k rows -g 200 -l 25 '[200]' '[1000]=i*i' 5
// expect: 0: 5*i*i+2*i*200*10+40000*30
// run: -k reversed -g 200 -l 40 '[200]=i'
// expect: 0: i%2==0 ? 199-i : -1
// run: -k medians -g 90 -l 30 '[90]' '[98]=i'
// expect: 0: i+4
// run: -k sorted -g 90 -l 30 '[90]' '[98]=1000-i'
// expect: 0: 1000-i-4
// run: -k handed -g 100 -l 20 '[100]' '[116]=i'
// expect: 0: 2*(16*i+120)
// run: -k structures -g 100 -l 20 '(float)[100]'
// expect: 0: 3*i+2*i*i+i+5
// run: -k alias -g 50 -l 10 '[50]'
// expect: 0: i+100*(i+7)
// run: -k placed -g 24,4 -l 6,2 -o 3,5 '[96]' -b '-cl-std=CL3.0'
// expect: 0: i
// run: -k placed -g 7,3 '[21]' -b '-cl-std=CL3.0'
// expect: 0: i
// run: -k some -g 130 -l 65 '[130]=i'
// expect: 0: i%3==0 ? 2*i+(i-i%65)/65 : i
// run: -k deep -g 64 -l 16 '[64]' '[64]=i'
// expect: 0: i%16+100*(i-i%16)/16+1000*i
// run: -k by_sub_groups -g 120 -l 40 '[120]' -b '-cl-std=CL3.0'
// expect: 0: i%40
// run: -k counted -g 300 -l 50 '[10]' '[300]'
// expect: 0: 30
// run: -k large -g 100 -l 50 '[100]' '[1500]=i'
// expect: 0: 999+i+i%10
#define KEEP __attribute__((noinline))

KEEP void row(global int *out, global const int *in, int i, int n) {
  int sum = 0;
  for (int k = 0; k < n; k++) sum += in[i + k * 200];
  out[i] = sum;
}
kernel void rows(global int *out, global const int *in, int n) { row(out, in, get_global_id(0), n); }

KEEP void put_back(global int *x, long from, int value) { x[from] = value; }
kernel void reversed(global int *x) {
  int i = get_global_id(0), last = get_global_size(0) - 1;
  if (i & 1) put_back(x, last - i, i); /* i is odd, and last - i even */
  else put_back(x, last - i, -1);
}

KEEP void median(global int *out, global const int *in) {
  int v[9], i = get_global_id(0);
  for (int k = 0; k < 9; k++) v[k] = in[i + k];
  for (int a = 1; a < 9; a++) {
    int x = v[a], b = a;
    for (; b > 0 && v[b - 1] > x; b--) v[b] = v[b - 1];
    v[b] = x;
  }
  out[i] = v[4];
}
kernel void medians(global int *out, global const int *in) { median(out, in); }
kernel void sorted(global int *out, global const int *in) {
  if (get_global_id(0) % 5 != 7) median(out, in);
}

KEEP void fill(int *v, global const int *in, int i) {
  for (int k = 0; k < 16; k++) v[k] = in[i + k];
}
KEEP int pick(const int *v, int k) { return v[k & 15] + v[(k + 5) & 15]; }
kernel void handed(global int *out, global const int *in) {
  int v[16], i = get_global_id(0), sum = 0;
  fill(v, in, i);
  for (int k = 0; k < 16; k++) sum += pick(v, k + 3 * i);
  out[i] = sum;
}

struct ray {
  float from[3];
  float to;
};
struct hit {
  float t;
  int id;
  char4 tag;
  double sum;
};
KEEP struct hit shoot(struct ray r, int i) {
  struct hit h = {r.to, i, (char4)(1, 2, 3, 4), 0.0};
  for (int k = 0; k < 3; k++) h.sum += r.from[k];
  r.to += 1;
  h.t += r.to;
  return h;
}
kernel void structures(global float *out) {
  int i = get_global_id(0);
  struct ray r = {{i, i, i}, i * i};
  struct hit h = shoot(r, i);
  out[i] = h.sum + h.t + h.id + h.tag.w + (r.to - i * i);
}

KEEP int change(struct ray r, struct ray *same, int i) {
  same->to = i + 7;
  return (int)r.to;
}
kernel void alias(global int *out) {
  int i = get_global_id(0);
  struct ray r = {{0, 0, 0}, i};
  int before = change(r, &r, i);
  out[i] = before + 100 * (int)r.to;
}

KEEP int place(int pitch) {
  return (get_global_id(1) - get_global_offset(1)) * pitch + get_global_id(0) - get_global_offset(0);
}
#if __OPENCL_C_VERSION__ >= 200
KEEP int checked_place(int pitch) {
  int x = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
  int y = get_group_id(1) * get_enqueued_local_size(1) + get_local_id(1);
  return x + y * pitch == place(pitch) && get_global_size(0) == pitch ? place(pitch) : -1;
}
kernel void placed(global int *out) {
  int at = checked_place(get_global_size(0));
  out[at] = at;
}

KEEP int of_sub_group(void) {
  return get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
}
kernel void by_sub_groups(global int *out) {
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = of_sub_group();
}
#endif

KEEP int lengthy(global const int *in, int i) {
  int v[1000]; /* in the frame, where lanes run one by one */
  for (int k = 0; k < 1000; k++) v[k] = in[i + k];
  for (int k = 1; k < 1000; k++) v[k] = max(v[k], v[k - 1]);
  return v[999 - i % 3] + i % 3;
}
kernel void large(global int *out, global const int *in) {
  int i = get_global_id(0);
  out[i] = lengthy(in, i) + i % 10;
}

KEEP int doubled(int x) { return 2 * x + get_group_id(0); }
kernel void some(global int *x) {
  int i = get_global_id(0);
  if (x[i] % 3 == 0) x[i] = doubled(x[i]);
}

KEEP int last(int x) { return x + get_local_id(0); }
KEEP int middle(global const int *in, int x) {
  int turns = in[get_global_id(0)] % 4;
  for (int k = 0; k < turns; k++) x = last(x) - (int)get_local_id(0);
  return last(x);
}
kernel void deep(global int *out, global const int *in) {
  int i = get_global_id(0);
  out[i] = middle(in, 100 * get_group_id(0)) + 1000 * in[i];
}

KEEP int count(global int *where) { return atomic_inc(where + get_global_id(0) % 10); }
kernel void counted(global int *counts, global int *old) { old[get_global_id(0)] = count(counts); }
