// Groups of one work-item each: barriers go, local memory is private, and groups side by side are lanes.
// run: -b -cl-std=CL3.0 -k solve -g 300 -l 1 '(float)[300]' '(float)[9]=2' 3
// expect: 0: 0.5
// run: -b -cl-std=CL3.0 -k largest -g 100 -l 1 '(float)[1000]=(i*7)%1000' 1000 'local[4]' '(float)[100]'
// expect: 3: loop(10,k=0:k+1,m=0:(((k*100+i)*7)%1000>m?((k*100+i)*7)%1000:m),m)
// run: -b -cl-std=CL3.0 -k counts -g 130 -l 1 '(uint)[1300]=i%7' '(uint)[1040]' 10
// expect: 1: loop(10,k=0:k+1,n=0:n+((int(i/8)*10+k)%7==i%8?1:0),n)
// run: -b -cl-std=CL3.0 -k places -g 6,5,4 -l 1,1,1 '(int)[120]'
// expect: 0: i%6+10*(int(i/6)%5)+100*int(i/30)+1000*6+10000*5
// run: -b -cl-std=CL3.0 -k places -g 6,5,4 -l 1,1,1 -o 3,2,1 '(int)[120]'
// expect: 0: i%6+10*(int(i/6)%5)+100*int(i/30)+1000*6+10000*5
// run: -b -cl-std=CL3.0 -k shared -g 64 -l 1 '(int)[64]' 3
// expect: 0: i*3+9
// run: -b -cl-std=CL3.0 -k pointed -g 64 -l 1 '(int)[64]' 'local[64]' 3
// expect: 0: i*3+9
// run: -b -cl-std=CL3.0 -k handed_on -g 64 -l 1 '(int)[64]'
// expect: 0: i+1
// run: -b -cl-std=CL3.0 -k pair -g 64 -l 1 '(float2)[64]' 'local[16]'
// expect: 0: i<0?0:int(i/2)+(i%2)*2

/* A triangular system for each group, without local memory. */
kernel void solve(global float *x, global const float *a, int n) {
  float sum = 0.0f;
  for (int row = 0; row < n; row++) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) x[get_group_id(0)] = 1.0f / a[row * n + row];
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int k = get_local_id(0); k < row; k += get_local_size(0)) sum += a[k] * 0.0f;
    if (row == 1) x[get_group_id(0)] += sum;
    if (row == 1) break;
  }
}

kernel void largest(global const float *x, uint n, local float *kept, global float *out) {
  float most = x[0];
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) most = most > x[i] ? most : x[i];
  kept[get_local_id(0)] = most;
  for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < stride)
      kept[get_local_id(0)] = fmax(kept[get_local_id(0)], kept[get_local_id(0) + stride]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) out[get_group_id(0)] = kept[0];
}

/* Local memory at places that the data say. */
kernel void counts(global const uint *x, global uint *out, uint n) {
  local uint bin[8];
  for (uint k = get_local_id(0); k < 8; k += get_local_size(0)) bin[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < n; k++) bin[x[get_group_id(0) * n + k]]++;
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  for (uint k = 0; k < 8; k++) out[get_group_id(0) * 8 + k] = bin[k];
}

kernel void places(global int *out) {
  const size_t x = get_group_id(0), y = get_group_id(1), z = get_group_id(2), w = get_num_groups(0);
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[(z * get_num_groups(1) + y) * w + x] = (int)(x + 10 * y + 100 * z + 1000 * w + 10000 * get_num_groups(1)) +
                                             (int)(get_local_linear_id() + get_enqueued_local_size(0) - 1);
}

/* Atomics keep local memory what it is. */
kernel void shared(global int *out, int n) {
  local int sum;
  if (get_local_id(0) == 0) sum = 9;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < n; k++) atomic_add(&sum, (int)get_group_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_group_id(0)] = sum;
}

/* So do places that are not known, of an argument. */
kernel void pointed(global int *out, local int *kept, int n) {
  for (int k = 0; k < 16; k++) kept[k] = k * k;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_group_id(0)] = (int)get_group_id(0) * n + kept[n];
}

int __attribute__((noinline)) read(local int *p) { return *p; }

kernel void handed_on(global int *out) {
  local int kept;
  kept = (int)get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = read(&kept) + 1;
}

kernel void pair(global float2 *out, local float4 *kept) {
  *kept = (float4)(get_group_id(0), 1.0f, 2.0f, 3.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  local float *part = (local float *)kept;
  out[get_group_id(0)] = (float2)(part[0], part[2] + part[0]);
}
