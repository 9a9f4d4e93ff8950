// Loops with a barrier in every turn, under conditions that look different for each work-item: all leave them together.
// run: -k strided -g 192 -l 64 '[768]=i' '[192]'
// expect: 1: 16*(i-i%64) + 4*(63-i%64) + 6*64
// run: -k strided -g 40 -l 20 '[160]=i' '[40]'
// expect: 1: 16*(i-i%20) + 4*(19-i%20) + 6*20
// run: -k own_memory -g 96 -l 48 '[96]=i%48' '[96]'
// expect: 1: 5*(47-i%48)
// run: -k own_memory -g 21 -l 21 '[21]=i' '[21]'
// expect: 1: 5*(20-i)
// run: -k middle -g 64 -l 32 '[64]=7' '[64]'
// expect: 1: 8
// run: -k middle -g 26 -l 13 '[26]=7' '[26]'
// expect: 1: 8
// run: -k nested -g 64 -l 64 '[64]=3' '[64]'
// expect: 1: 3*((63-i)%5)
// run: -k nested -g 24 -l 12 '[24]=3' '[24]'
// expect: 1: 3*((11-i%12)%5)
// run: -k in_part -g 64 -l 32 '[64]=6' '[64]'
// expect: 1: i%32 < 20 ? 6 : 106
// run: -k ways -g 64 -l 32 '[64]=6' '[64]'
// expect: 1: (i%4==0 ? 1 : i%4==1 ? 20 : i%4==2 ? 300 : 4000) * 6
// run: -k inner -g 64 -l 32 '[64]=i%8' '[64]'
// expect: 1: 3*(i%8)
// run: -k some_turns -g 64 -l 16 '[64]=3' '[64]'
// expect: 1: 3*(15-i%16) + 4
kernel void strided(global const int *in, global int *out) {
  local int part[64];
  int l = get_local_id(0), size = get_local_size(0), sum = 0;
  for (int i = l; i < 4 * size; i += size) {
    part[size - 1 - l] = in[4 * (int)get_group_id(0) * size + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += part[l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

kernel void own_memory(global const int *in, global int *out) {
  local int left[64], part[64];
  int l = get_local_id(0), size = get_local_size(0), sum = 0;
  for (left[l] = 5; left[l] > 0;) {
    left[l]--;
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += part[size - 1 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

kernel void middle(global const int *in, global int *out) {
  local int part[64];
  int l = get_local_id(0), left = in[get_global_id(0)], sum = 0;
  for (;;) {
    part[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += part[(l + 1) % get_local_size(0)];
    if (left == 0) break;
    barrier(CLK_LOCAL_MEM_FENCE);
    left--;
  }
  out[get_global_id(0)] = sum;
}

kernel void nested(global const int *in, global int *out) {
  local int part[64];
  int l = get_local_id(0), size = get_local_size(0), sum = 0;
  for (int j = 0; j < in[get_global_id(0)]; j++) {
    int k = 0;
    while (k < l % 5) k++;
    part[l] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += part[size - 1 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

// Two ways out, of which some take one and some the other.
kernel void in_part(global const int *in, global int *out) {
  local int part[64];
  int l = get_local_id(0), turn = 0, more = 0;
  for (;;) {
    part[l] = ++turn;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 20) {
      if (turn == in[get_global_id(0)]) break;
    } else if (part[0] == in[get_global_id(0)]) {
      more = 100;
      break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = turn + more;
}

// Each way of a switch is taken by some; nothing else can come.
kernel void ways(global const int *in, global int *out) {
  local int part[64];
  int l = get_local_id(0), sum = 0;
  for (int j = 0; j < in[get_global_id(0)]; j++) {
    switch (l & 3) {
    case 0: part[l] = 1; break;
    case 1: part[l] = 20; break;
    case 2: part[l] = 300; break;
    case 3: part[l] = 4000; break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += part[(l + 4) % get_local_size(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

// An inner loop is left at different turns.
kernel void inner(global const int *in, global int *out) {
  local int part[64];
  int l = get_local_id(0), n = get_local_size(0), sum = 0;
  for (int j = 0; j < 3; j++) {
    int count = 0;
    for (int k = 0; k < n; k++)
      for (int m = 0; m < 8; m++) {
        if (m == in[l]) break;
        count++;
      }
    part[l] = count / n;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += part[(l + 8) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

// Some turns have barriers and some have none.
kernel void some_turns(global const int *in, global int *out) {
  local int part[16][16];
  int l = get_local_id(0), sum = 0;
  for (int i = 0; i < 16; i++) {
    part[i][l] = l;
    if (in[get_global_id(0)] > i) {
      for (int j = 0; j < i; j++) part[i][l] += part[j][l] - l + 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      sum += part[i][15 - l];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  out[get_global_id(0)] = sum;
}
