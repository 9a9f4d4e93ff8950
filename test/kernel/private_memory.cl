// Private arrays: small and indexed, large, kept across barriers, and one of a megabyte, which makes groups smaller.
// run: -k indexed -g 64 '[64]=i'
// expect: 0: (i%8)*(i%8) + 7-i%8
// run: -k sorted -g 32 '[256]=rand(i)*1000'
// expect: 0: i%8==0 ? r0[i] : max(r0[i],r0[i-1])
// run: -k kept -g 64 -l 16 '[64]=i' '[64]'
// expect: 1: 8*(i-i%16+(i%16+1)%16)+28
// run: -k large -g 64 -l 8 '[64]=i'
// expect: 0: sum(j,0,2048,(j*7+i)%64)
// run: -k megabyte -g 16 '[16]=i'
// expect: 0: 262144*i + 34359607296 % 1000003
// run: -k megabyte_kept -g 8 -l 4 '[8]=i'
// expect: 0: i*1000 + (i%4==3 ? i-3 : i+1)
// run: -k structures -g 32 3 '[32]'
// expect: 1: 10*i+3*3
// run: -k kept -g 64 -l 16 '[64]=i' '[64]' -b '-cl-opt-disable'
// expect: 1: 8*(i-i%16+(i%16+1)%16)+28
// run: -k large -g 64 -l 8 '[64]=i' -b '-cl-opt-disable'
// expect: 0: sum(j,0,2048,(j*7+i)%64)
// run: -k kept_rows -b -cl-std=CL2.0 -g 70,3 -l 16,3 '[210]'
// expect: 0: 1000*(5*(10*(i%70)+floor(i/70))+10*(floor(i/70)+1)+10) + 10*(i%70)+floor(i/70)+((i%70)%5)*(floor(i/70)+1)
// run: -k kept_rows -b -cl-std=CL2.0 -g 70,5 -l 32,2 '[350]'
// expect: 0: 1000*(5*(10*(i%70)+floor(i/70))+10*(floor(i/70)+1)+10) + 10*(i%70)+floor(i/70)+((i%70)%5)*(floor(i/70)+1)
// run: -k kept_rows -b -cl-std=CL2.0 -g 37,3 -l 37,1 '[111]'
// expect: 0: 1000*(5*(10*(i%37)+floor(i/37))+10*(floor(i/37)+1)+10) + 10*(i%37)+floor(i/37)+((i%37)%5)*(floor(i/37)+1)
// run: -k kept_rows -b -cl-std=CL2.0 -g 48,4 -l 16,2 '[192]'
// expect: 0: 1000*(5*(10*(i%48)+floor(i/48))+10*(floor(i/48)+1)+10) + 10*(i%48)+floor(i/48)+((i%48)%5)*(floor(i/48)+1)
// run: -k kept_rows -b -cl-std=CL2.0 -g 21,7 -l 8,4 '[147]'
// expect: 0: 1000*(5*(10*(i%21)+floor(i/21))+10*(floor(i/21)+1)+10) + 10*(i%21)+floor(i/21)+((i%21)%5)*(floor(i/21)+1)
// run: -k spelled_tables -g 256 '[256]=i%9' '[256]'
// expect: 1: a0[i]==0||a0[i]==2||a0[i]==4 ? (a0[i]==2)-(a0[i]==4) : a0[i]==1||a0[i]==3 ? 10*(2-a0[i]) : 10*(a0[i]==5||a0[i]==8 ? 1 : 0-1)+(a0[i]<7 ? 1 : 0-1)
// run: -k spelled_tables -g 256 '[256]=i%9' '[256]' -b -cl-opt-disable
// expect: 1: a0[i]==0||a0[i]==2||a0[i]==4 ? (a0[i]==2)-(a0[i]==4) : a0[i]==1||a0[i]==3 ? 10*(2-a0[i]) : 10*(a0[i]==5||a0[i]==8 ? 1 : 0-1)+(a0[i]<7 ? 1 : 0-1)
// run: -k rewritten -g 256 '[256]=i%4' '[256]' 7
// expect: 1: 100*(a0[i]==1)+5*(a0[i]==2)+7*(a0[i]==3)+(a0[i]==0)*(i%2)
// run: -k read_between -g 256 '[256]=i%4' '[256]'
// expect: 1: a0[i]==2 ? 12 : 0-(a0[i]==0)+4
// run: -k filled_in_turns -g 64 '[64]'
// expect: 0: 4*(0+5+0+0)+6*(0+1+2+3)+6
// run: -k rows_of_table -g 64 '[64]=i%3' '[64]'
// expect: 1: a0[i]==0 ? 0 : a0[i]==1 ? 4 : 15
kernel void indexed(global int *x) {
  int a[8], b[8], i = get_global_id(0);
  for (int j = 0; j < 8; j++) {
    a[j] = j * j;
    b[7 - j] = j;
  }
  x[i] = a[i % 8] + b[x[i] % 8];
}

void swap(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}
kernel void sorted(global int *x) {
  int a[8], i = get_global_id(0);
  for (int j = 0; j < 8; j++) a[j] = x[8 * i + j];
  for (int j = 0; j < 8; j++)
    for (int k = 0; k + 1 < 8 - j; k++)
      if (a[k] > a[k + 1]) swap(&a[k], &a[k + 1]);
  for (int j = 0; j < 8; j++) x[8 * i + j] = a[j];
}

kernel void kept(global const int *in, global int *out) {
  local int shared[16];
  int a[8], l = get_local_id(0);
  for (int j = 0; j < 8; j++) a[j] = in[get_global_id(0)] + j;
  for (int j = 0; j < 8; j++) {
    shared[l] = a[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[j] = shared[(l + 1) % 16];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  int sum = 0, *p = a;
  for (int j = 0; j < 8; j++) sum += *p++;
  out[get_global_id(0)] = sum;
}

// Rows of work-items end where no vector does; the array lives across barriers.
kernel void kept_rows(global int *out) {
  int a[5], x = get_global_id(0), y = get_global_id(1), sum = 0;
  for (int j = 0; j < 5; j++) a[j] = 10 * x + y + j * (y + 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < 5; j++) {
    a[(j + x) % 5] += j;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int j = 0; j < 5; j++) sum += a[j];
  out[y * get_global_size(0) + x] = 1000 * sum + a[x % 5];
}

kernel void large(global int *x) {
  int a[2048], i = get_global_id(0), sum = 0;
  for (int j = 0; j < 2048; j++) a[(j * 5) % 2048] = j;
  for (int j = 0; j < 2048; j++) sum += (a[(j * 5) % 2048] * 7 + x[i]) % 64;
  x[i] = sum;
}

kernel void megabyte(global long *x) {
  int a[262144];
  int i = get_global_id(0);
  for (int j = 0; j < 262144; j++) a[j ^ 0x155] = j + i;
  long sum = 0;
  for (int j = 0; j < 262144; j++) sum += a[j];
  x[i] = sum - 34359607296L + 34359607296L % 1000003;
}

kernel void megabyte_kept(global int *x) {
  local int shared[4];
  int a[262144];
  int i = get_global_id(0), l = get_local_id(0);
  for (int j = 0; j < 262144; j++) a[j] = i * 1000;
  shared[l] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i * 1000 + 7] += shared[(l + 1) % 4];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = a[x[i] * 1000 + 7];
}

struct frame {
  float4 v;
  char name[3];
  int values[5];
};
int sum_of(struct frame f, int n) {
  int sum = 0;
  for (int i = 0; i < 5; i++) sum += f.values[i];
  f.values[0] = 100;
  return sum + n * f.name[2] + (int)f.v.w;
}
kernel void structures(int n, global int *out) {
  struct frame f[2];
  int i = get_global_id(0), which = i & 1;
  f[which].v = (float4)(0);
  f[which].name[2] = n;
  for (int j = 0; j < 5; j++) f[which].values[j] = i * j;
  out[i] = sum_of(f[which], n) + f[which].values[0];
}

/* Tables that the front end clears and then fills element by element. */
kernel void spelled_tables(global const int *in, global int *out) {
  const int x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  int k = in[get_global_id(0)];
  out[get_global_id(0)] = 10 * x[k] + y[k];
}
/* No table: an element is changed later, by a value that is only known then. */
kernel void rewritten(global const int *in, global int *out, int n) {
  int x[4] = {0, 0, 5, 0}, i = get_global_id(0);
  if (i & 1) x[0] = 1;
  x[1] = 100;
  x[3] = n;
  out[i] = x[in[i]];
}
/* No table: what is read first is not what is there in the end. */
kernel void read_between(global const int *in, global int *out) {
  int x[4], i = get_global_id(0), k = in[i];
  x[0] = 3;
  x[1] = x[2] = x[3] = 4;
  int first = x[k];
  x[2] = 8;
  out[i] = k == 2 ? first + x[k] : first;
}
/* Filled again in each turn. */
kernel void filled_in_turns(global int *out) {
  int sum = 0;
  for (int turn = 0; turn < 4; turn++) {
    const int x[4] = {0, 5, 0, 0};
    int y[2] = {0, 0};
    for (int k = 0; k < 4; k++) sum += x[k];
    y[1] = turn;
    for (int k = 0; k < 2; k++) sum += 6 * y[k];
  }
  out[get_global_id(0)] = sum + 6;
}
kernel void rows_of_table(global const int *in, global int *out) {
  const int x[3][3] = {{0, 0, 0}, {0, 4, 0}, {4, 5, 6}};
  int r = in[get_global_id(0)], sum = 0;
  for (int k = 0; k < 3; k++) sum += x[r][k];
  out[get_global_id(0)] = sum;
}
