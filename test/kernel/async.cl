// Async copies by groups of several items: every form, chains of events, several copies in flight.

// run: -g 60 -l 12 -k chain '[240]=i' '[240]'
// expect: 1: 3*i+1
// run: -g 10 -l 2 -k chain -b -cl-std=CL3.0 '[240]=i' '[240]'
// expect: 1: 3*i+1
// An event operand may be anything; waiting on the last event of a chain waits for all of it.
kernel void chain(global const int *in, global int *out) {
  local int a[16], b[16], c[16], d[48];
  size_t base = get_group_id(0) * 48, step = get_local_size(0);
  event_t none, last;
  last = async_work_group_copy(a, in + base, 16, none);
  last = async_work_group_copy(b, in + base + 16, 16, last);
  last = async_work_group_copy(c, in + base + 32, 16, last);
  wait_group_events(1, &last);
  for (size_t at = step - 1 - get_local_id(0); at < 48; at += step) {
    int value = at < 16 ? a[at] : at < 32 ? b[at - 16] : c[at - 32];
    d[at] = 3 * value + 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t back = async_work_group_copy(out + base, d, 48, 0);
  wait_group_events(1, &back);
}

// run: -g 8,4 -l 4,4 -k columns '[512]=i' '[32]'
// expect: 1: sum(j,0,16, 16*j + floor(mod(i,8)/4)) + floor(i/8)
// Two events, waited for together, in a loop that uses the same memory again.
kernel void columns(global const int *in, global int *out) {
  local int column[16], more[16];
  int total = 0;
  size_t x = get_group_id(0);
  for (int turn = 0; turn < 3; turn++) {
    event_t both[2];
    both[0] = async_work_group_strided_copy(column, in + x, 16, 16, 0);
    both[1] = async_work_group_strided_copy(more, in + 256 + x, 16, 16, 0);
    prefetch(in, 16);
    wait_group_events(2, both);
    total = 0;
    for (int k = 0; k < 16; k++) total += column[k];
    if (more[3] != 256 + 48 + (int)x) total = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && get_local_id(1) == 0) column[turn] = more[turn] = -1000;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = total + (int)get_global_id(1);
}

// run: -g 6 -l 3 -k threes '[32]=i' '[64]=-1'
// expect: 1: floor(i/3) < 16 && mod(floor(i/3),2) == 0 ? 3*floor(i/6)+mod(i,3) : -1
// A vector of three is copied as four components are; the stride counts elements.
kernel void threes(global const float3 *in, global float3 *out) {
  local float3 t[4];
  event_t e = async_work_group_copy(t, in + 4 * get_group_id(0), 4, 0);
  wait_group_events(1, &e);
  e = async_work_group_strided_copy(out + 8 * get_group_id(0), t, 4, 2, e);
  wait_group_events(1, &e);
}

// run: -g 12 -l 6 -k plane2 '[200]=i' '[200]=-1'
// expect: 1: i < 100 ? (mod(i,20) >= 3 && mod(i,20) < 10 && i >= 20 && i < 80 ? i-16 : -1) : r1[i]
// run: -g 14 -l 7 -k plane2 -b -cl-std=CL3.0 '[200]=i' '[200]=-1'
// expect: 1: i < 100 ? (mod(i,20) >= 3 && mod(i,20) < 10 && i >= 20 && i < 80 ? i-16 : -1) : r1[i]
// Three lines of seven elements from (7, 0) of lines of 20, packed at 9 a line, and from there to (3, 1).
kernel void plane2(global const short *in, global short *out) {
  local short t[40];
  event_t e = async_work_group_copy_2D2D(t, 1, in, 7, sizeof(short), 7, 3, 20, 9, 0);
  wait_group_events(1, &e);
  if (get_group_id(0) == 0) {
    e = async_work_group_copy_2D2D(out, 23, t, 1, sizeof(short), 7, 3, 9, 20, e);
    wait_group_events(1, &e);
  }
}

// run: -g 5 -l 5 -k plane3 '[240]=i' '[240]=-1'
// expect: 1: mod(i,10) >= 1 && mod(i,10) < 5 && mod(floor(i/10),6) >= 2 && mod(floor(i/10),6) < 5 ? i-19 : -1
// run: -g 5 -l 5 -k plane3 -b -cl-std=CL3.0 '[240]=i' '[240]=-1'
// expect: 1: mod(i,10) >= 1 && mod(i,10) < 5 && mod(floor(i/10),6) >= 2 && mod(floor(i/10),6) < 5 ? i-19 : -1
// Four planes of three lines of four elements, from lines of 10 and planes of 60, packed, and out elsewhere.
kernel void plane3(global const int *in, global int *out) {
  local int t[60];
  event_t e = async_work_group_copy_3D3D(t, 0, in, 2, sizeof(int), 4, 3, 4, 10, 60, 5, 15, 0);
  wait_group_events(1, &e);
  e = async_work_group_copy_3D3D(out, 21, t, 0, sizeof(int), 4, 3, 4, 5, 15, 10, 60, e);
  wait_group_events(1, &e);
}

// run: -g 6 -l 6 -k fenced '[32]=i' '[32]=i'
// expect: 1: i < 16 ? mod(i, 8) : i
// run: -g 5 -l 5 -k fenced -b -cl-std=CL3.0 '[32]=i' '[32]=i'
// expect: 1: i < 16 ? mod(i, 8) : i
// After the fence copies see what those before it moved, also when other items move it.
kernel void fenced(global const int *in, global int *out) {
  local int t[16];
  event_t e = async_work_group_copy(t, in, 8, 0);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_strided_copy(out, t, 8, 1, e);
  async_work_group_copy_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  e = async_work_group_strided_copy(t + 8, out, 8, 1, e);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(out + 8, t + 8, 8, e);
  wait_group_events(1, &e);
}
