// Barriers in awkward places: groups of unequal size, helpers and called kernels, loops left early, scopes, and fences
// by flag. Launches whose global size is no multiple of the local size need OpenCL C 2.0.
// run: -k sums_before -g 512 -l 128 '(int)[1024]=i%7' '(int)[1024]' '(int)[4]'
// expect: 1: sum(k,i-i%256,i,k%7)
// expect: 2: sum(k,256*i,256*i+256,k%7)
// run: -k shift -g 21 -l 8 '[21]=i' '[21]' -b '-cl-std=CL2.0'
// expect: 1: i<16 ? i-i%8+(i+1)%8 : 16+(i-16+1)%5
// run: -k shift -g 32 -l 8 '[32]=i' '[32]' -b '-cl-std=CL2.0'
// expect: 1: i-i%8+(i+1)%8
// run: -k shift -g 21 -l 8 '[21]=i' '[21]' -b '-cl-std=CL3.0'
// expect: 1: i<16 ? i-i%8+(i+1)%8 : 16+(i-16+1)%5
// run: -k unequal -g 10,7 -l 4,3 '[70]' -b '-cl-std=CL2.0'
// expect: 0: (i%10<8 ? 4 : 2) * (floor(i/10)<6 ? 3 : 1)
// run: -k kept_apart -g 4096 -l 1024 '[4096]' '[4096]=i%5'
// expect: 0: (a1[i+4092-8*(floor(i/4)%1024)]+pow(a1[i+4092-8*(floor(i/4)%1024)],2))*a1[i]+a1[i]*a1[i]
// run: -k nested -g 24 -l 8 3 '[24]=i' -b '-cl-std=CL2.0'
// expect: 1: sum(j,0,3,3*(i-i%8)+(i+j+1)%8+(i+j+2)%8+(i+j+3)%8) - 3*2*(i-i%8)
// run: -k nested -g 24 -l 8 0 '[24]=i' -b '-cl-std=CL2.0'
// expect: 1: 0
// run: -k scopes -g 32 -l 16 '[32]=i' '[32]' -b '-cl-std=CL2.0'
// expect: 1: i-i%16+15-i%16+i-i%16+(i+1)%16
// run: -k left_early -g 64 -l 16 '[64]=i%16*3' '[4]'
// expect: 1: 6
// run: -k by_group -g 64 -l 8 '[64]=i' '[64]'
// expect: 1: floor(i/8)%2==1 ? i-i%8+7-i%8 : i
// run: -k called -g 32 -l 8 '[32]=i'
// expect: 0: i
// run: -k called -g 32 -l 8 '[32]=i' -b '-cl-opt-disable'
// expect: 0: i
// run: -k through_global -g 64 -l 32 '[64]=i' '[64]'
// expect: 1: i-i%32+(i+5)%32
// run: -k in_switch -g 24 -l 8 '[24]=i' '[24]'
// expect: 1: floor(i/8)==0 ? i-i%8+(i+1)%8 : floor(i/8)==1 ? i-i%8+(i+2)%8+i-i%8+(i+1)%8 : i
// run: -k cases -g 16 -l 8 '[16]=i' '[16]'
// expect: 1: i==0 ? 2 : i==1 ? 12 : i==2 ? 20 : i==3 ? 20 : i==4 ? 40 : i==5 ? 66 : i==6 ? 20 : i==7 ? 26 : i==8 ? 130 : i==9 ? 50 : i==10 ? 226 : i==11 ? 178 : i==12 ? 90 : i==13 ? 44 : i==14 ? 96 : 74
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

kernel void shift(global const int *in, global int *out) {
  local int a[8];
  int l = get_local_id(0), n = get_local_size(0);
  a[l] = in[get_global_id(0)];
  BARRIER;
  out[get_global_id(0)] = a[(l + 1) % n];
}

kernel void unequal(global int *out) {
  local int count;
  if (get_local_id(0) == 0 && get_local_id(1) == 0) count = 0;
  BARRIER;
  atomic_inc(&count);
  BARRIER;
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = count;
}

/* Helpers with barriers, called from two places, within loops. */
int turned(local int *a, int v, int by) {
  int l = get_local_id(0);
  a[l] = v;
  BARRIER;
  int r = a[(l + by) % 8];
  BARRIER;
  return r;
}
int twice(local int *a, int v) { return turned(a, turned(a, v, 1), 1); }
kernel void nested(int n, global int *x) {
  local int a[8];
  int v = x[get_global_id(0)], base = v - get_local_id(0), sum = 0;
  for (int j = 0; j < n; j++) {
    v = turned(a, v, 1);
    sum += v + turned(a, v, 1) + twice(a, v) - 2 * base;
  }
  x[get_global_id(0)] = sum;
}

#if __OPENCL_C_VERSION__ >= 200
kernel void scopes(global int *in, global int *out) {
  local int a[16];
  int l = get_local_id(0), i = get_global_id(0), base = i - l;
  a[15 - l] = in[i];
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  int v = a[l];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  in[base + (l + 15) % 16] = i;
  work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_device);
  out[i] = v + in[i];
}
#endif

/* All work-items leave the loop in the same round. */
kernel void left_early(global const int *in, global int *out) {
  local int most;
  int l = get_local_id(0), v = in[get_global_id(0)], rounds = 0;
  for (;;) {
    if (l == 0) most = 0;
    BARRIER;
    atomic_max(&most, v);
    BARRIER;
    int found = most;
    BARRIER;
    if (found == 0) break;
    v /= 2;
    rounds++;
    if (rounds > 50) return;
  }
  if (l == 0) out[get_group_id(0)] = rounds;
}

kernel void by_group(global const int *in, global int *out) {
  local int a[8];
  int l = get_local_id(0), v = in[get_global_id(0)];
  if (get_group_id(0) & 1) {
    a[7 - l] = v;
    BARRIER;
    v = a[l];
  }
  out[get_global_id(0)] = v;
}

kernel void reverse(global int *x, local int *a) {
  int l = get_local_id(0);
  a[7 - l] = x[get_global_id(0)];
  BARRIER;
  x[get_global_id(0)] = a[l];
  BARRIER;
}
kernel void twice_reversed(global int *x, local int *a) {
  reverse(x, a);
  reverse(x, a);
}
kernel void called(global int *x) {
  local int a[8];
  reverse(x, a);
  twice_reversed(x, a);
  reverse(x, a);
}

kernel void through_global(global int *in, global int *out) {
  int i = get_global_id(0), base = i - get_local_id(0), v = in[i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  in[base + (get_local_id(0) + 27) % 32] = v;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = in[i];
}

kernel void in_switch(global const int *in, global int *out) {
  local int a[8];
  int l = get_local_id(0), v = in[get_global_id(0)], more = 0;
  switch (get_group_id(0)) {
  case 1:
    a[l] = v;
    BARRIER;
    more = a[(l + 2) % 8];
    BARRIER; /* falls through */
  case 0:
    a[l] = v;
    BARRIER;
    v = a[(l + 1) % 8] + more;
    break;
  default:
    break;
  }
  out[get_global_id(0)] = v;
}

/* Several cases lead to one place with a value from before the barrier, which is computed anew before the next one. */
kernel void cases(global const int *in, global int *out) {
  local int a[8];
  int l = get_local_id(0), base = get_global_id(0) - l, v = in[get_global_id(0)];
  for (int j = 0; j < 3; j++) {
    int kept = in[base + (v + j) % 8] + v;
    a[l] = v;
    BARRIER;
    int next = kept;
    switch (a[l] % 6) {
    case 0:
    case 2:
    case 5:
      break;
    case 1:
      next = v + 1;
      break;
    default:
      next = kept * 2 + j;
    }
    v = next;
  }
  out[get_global_id(0)] = v;
}

// The guard of a division passes a barrier that the divisor itself does not.
// run: -g 48 -l 16 -k guarded_division '[48]=i*37%101+7' '[48]' 'local[16]'
// expect: 1: a0[i-i%16+(i%16+1)%7]+a0[(i%16+1)%7]+a0[i%16%7]
kernel void guarded_division(global const int *in, global int *out, local int *part) {
  size_t i = get_global_id(0), l = get_local_id(0);
  uint n = in[0];
  part[l] = in[i] + in[l % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = part[(l + 1) % n] + in[l % n];
}

// Variables of a loop around barriers that change places, grow and stay: those that are never alive together share a
// place.
// run: -g 48 -l 16 -k changing_places '[48]=i*37%101' '[48]' 'local[16]'
// expect: 1: loop(5,x=a0[i]:y,y=a0[i]*3+1:x,s=0:s+2*y+2*x+a0[i]+1,s)
// run: -g 64,2 -l 32,2 -k changing_places '[128]=i*37%101' '[128]' 'local[64]'
// expect: 1: loop(5,x=a0[i]:y,y=a0[i]*3+1:x,s=0:s+2*y+2*x+a0[i]+1,s)
kernel void changing_places(global const int *in, global int *out, local int *part) {
  size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  size_t l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  int a = in[i], b = in[i] * 3 + 1, sum = 0, still = in[i] + 1;
  for (int j = 0; j < 5; j++) {
    part[l] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    int old = a;
    a = b;
    b = old;
    int more = 2 * a + b + part[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += more + still;
  }
  out[i] = sum;
}

// What other work-items change is loaded again behind a barrier, whatever `restrict` says, which is about this work-item's
// pointers.
// run: -k restricted -g 64 -l 64 '[65]=i' '[64]'
// expect: 1: (i+1)*1000+(i<63 ? 101+i : 64)
// run: -k helped -g 64 -l 64 '[65]=i' '[64]'
// expect: 1: (i+1)*1000+(i<63 ? 101+i : 64)
// run: -k locally -g 64 -l 64 'local[260]' '[64]'
// expect: 1: i<63 ? (i+1)*1000+101+i : 0
// run: -k components -g 64 -l 64 '[195]=i' '[64]'
// expect: 1: (3*i+3)*1000+(i<63 ? 3*i+103 : 192)
kernel void restricted(global int *restrict a, global int *restrict o) {
  int i = get_local_id(0);
  int before = a[i + 1];
  barrier(CLK_GLOBAL_MEM_FENCE);
  a[i] = i + 100;
  barrier(CLK_GLOBAL_MEM_FENCE);
  o[i] = before * 1000 + a[i + 1];
}
int before_and_after(global int *restrict a, int i) {
  int before = a[i + 1];
  barrier(CLK_GLOBAL_MEM_FENCE);
  a[i] = i + 100;
  barrier(CLK_GLOBAL_MEM_FENCE);
  return before * 1000 + a[i + 1];
}
kernel void helped(global int *a, global int *restrict o) { o[get_local_id(0)] = before_and_after(a, get_local_id(0)); }
kernel void locally(local int *restrict a, global int *restrict o) {
  int i = get_local_id(0);
  a[i] = i;
  if (i == 0) a[64] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int before = a[i + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = i + 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[i] = before == 0 ? 0 : before * 1000 + a[i + 1];
}
kernel void components(global int *a, global int *o) {
  int i = get_local_id(0);
  o[i] = a[3 * i];
  int before = a[3 * i + 3];
  o[i] += a[3 * i + 1];
  barrier(CLK_GLOBAL_MEM_FENCE);
  a[3 * i] = 3 * i + 100;
  o[i] = a[3 * i + 1];
  barrier(CLK_GLOBAL_MEM_FENCE);
  o[i] = before * 1000 + a[3 * i + 3];
}

/* What vectors of work-items keep lies in many sets of the cache, also in groups of a power of two. */
kernel void kept_apart(global float4 *out, global const float4 *in) {
  local float4 turned[1024];
  size_t i = get_global_id(0), l = get_local_id(0);
  float4 x = in[i], y = x * x;
  turned[l] = x + y;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = turned[1023 - l] * x + y;
}

kernel void sums_before(global const int *in, global int *out, global int *all) {
  local int m[256];
  int l = get_local_id(0), first = get_group_id(0) * 256, step = 1, sum = 0;
  m[l] = in[first + l];
  m[l + 128] = in[first + l + 128];
  for (int on = 128; on > 0; on >>= 1, step <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < on; k += 128) m[step * (2 * k + 2) - 1] += m[step * (2 * k + 1) - 1];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    sum = m[255];
    m[255] = 0;
  }
  for (int on = 1; on < 256; on <<= 1) {
    step >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < on; k += 128) {
      int a = step * (2 * k + 1) - 1, b = step * (2 * k + 2) - 1, t = m[a];
      m[a] = m[b];
      m[b] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) all[get_group_id(0)] = sum;
  out[first + l] = m[l];
  out[first + l + 128] = m[l + 128];
}
