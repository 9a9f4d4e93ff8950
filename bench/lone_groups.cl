// Groups of one work-item, as libraries launch them that take a group for a processor, with barriers and local memory all
// the same; groups of four, each about something of its own; and two work-items that go through all of the data, whose launch gives no local size.
// run: -k solve -g 512 -l 1 '(float)[262144]=(i%513)==0?2:0.001' '(float)[262144]=1' 512 --flops '512*512*512' --name triangular_columns
// expect: 1/1009: loop(512-int(i/512),k=0:k+1,x=1:k==0?0.5:x*0.9995,x) ~ 0.001
// run: -k largest -g 128 -l 1 '(float)[1048576]=(i*7)%1048573' 1048576 'local[512]' '(float)[128]' --bytes '4*1048576' --name largest_by_groups
// expect: 3: loop(8192,k=0:k+1,m=0:max(m,((i+128*k)*7)%1048573),m)
// run: -k product -g 2 '(int)[2]' '(int)[2097152]=i%10' '(int)[2097152]=i%7' 2097152 --bytes '8*2097152' --name product_of_two
// expect: 0: loop(1048576,k=0:k+1,s=0:s+((i*1048576+k)%10)*((i*1048576+k)%7),s)
// run: -k roots -g 524288 -l 4 '(float4)[131072]=i%4==0?-8:i%4==3' '(float)[524288]' --flops '14*24*524288' --name roots_of_four
// expect: 1: 2 ~ 0.00001
kernel void solve(global const float *a, global float *b, uint n) {
  const uint column = get_group_id(0), columns = get_num_groups(0);
  for (uint k = 0; k < n; k++) {
    const uint row = n - 1 - k;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) b[row * columns + column] /= a[row * n + row];
    barrier(CLK_GLOBAL_MEM_FENCE);
    const float x = b[row * columns + column];
    for (uint i = get_local_id(0); i < row; i += get_local_size(0)) b[i * columns + column] -= x * a[i * n + row];
  }
}
kernel void largest(global const float *a, uint n, local float *part, global float *out) {
  float most = a[0];
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) most = most > a[i] ? most : a[i];
  part[get_local_id(0)] = most;
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < step) part[get_local_id(0)] = fmax(part[get_local_id(0)], part[get_local_id(0) + step]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) out[get_group_id(0)] = part[0];
}
kernel void product(global int *out, global const int *a, global const int *b, uint n) {
  const uint part = n / get_global_size(0), first = get_global_id(0) * part, end = min(n, first + part);
  int sum = 0;
  for (uint i = first; i < end; i++) sum += a[i] * b[i];
  out[get_global_id(0)] = sum;
}
/* Newton's steps for cubics: each work-item of a group begins at another place. */
kernel void roots(global const float4 *cubic, global float *out) {
  const float4 c = cubic[get_group_id(0)];
  float x = 4 + get_local_id(0);
  for (int k = 0; k < 24; k++) x -= (((c.w * x + c.z) * x + c.y) * x + c.x) / ((3 * c.w * x + 2 * c.z) * x + c.y);
  out[get_global_id(0)] = x;
}
