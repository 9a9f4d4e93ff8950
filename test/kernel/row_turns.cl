// Loops along rows of arrays that they change: what the turn before has stored, at an index made of several numbers;
// rows that go back; rows of one array changed by others of it, told apart as the code runs.
// run: -g 100 -l 20 -k sums '(int)[1600]=1' 16
// expect: 0: i%16+1
// run: -g 100 -l 20 -k sums_of_two '(int)[1600]=1' '(float)[1600]=1' 16
// expect: 0: i%16+1
// expect: 1: i%16%2==0
// run: -g 100 -l 20 -k back '(int)[4000]=i%40' '(int)[4000]=2' 40
// expect: 0: i%40 ? 3*(i%40)-2 : 0
// run: -g 192 -l 64 -k elimination '(float)[4096]=int(i/64)<i%64 ? int(i/64)+1 : i%64+1' '(float)[192]'
// expect: 1: 1
// run: -g 100 -l 20 -k own_elimination '(float)[25600]=int(i%256/16)<i%16 ? int(i%256/16)+1 : i%16+1'
// expect: 0: i%16>=int(i%256/16)
// run: -g 3 -l 3 -k near_rows '(int)[300]=1' 1
// expect: 0: i%100<30 ? i%100+1 : 1
// run: -g 3 -l 3 -k near_rows '(int)[300]=1' 30
// expect: 0: i%100<30 ? 1 : i%100<60 ? 2 : 1

kernel void sums(global int *x, int n) {
  int i = get_global_id(0);
  for (int k = 1; k < n; k++) x[i * n + k] += x[i * n + (k - 1)];
}

kernel void sums_of_two(global int *x, global float *y, int n) {
  int i = get_global_id(0);
  for (int k = 1; k < n; k++) {
    x[i * n + k] = x[i * n + k] + x[i * n + (k - 1)];
    y[i * n + k] = y[i * n + k] - y[i * n + (k - 1)];
  }
}

kernel void back(global int *x, global const int *a, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n - 1; k++) x[i * n + (n - k - 1)] += x[i * n + (n - 2 - k)] * a[i * n + (n - k - 1)];
}

kernel void elimination(global const float *a, global float *out) {
  local float m[64][65];
  int l = get_local_id(0);
  for (int k = 0; k < 64; k++) m[k][l] = a[k * 64 + l];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 63; k++) {
    if (l > k) {
      float f = m[l][k] / m[k][k];
      for (int c = k; c < 64; c++) m[l][c] -= f * m[k][c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = m[l][l];
}

kernel void own_elimination(global float *a) {
  global float *m = a + get_global_id(0) * 256;
  for (int k = 0; k < 15; k++)
    for (int r = k + 1; r < 16; r++) {
      float f = m[r * 16 + k] / m[k * 16 + k];
      for (int c = k; c < 16; c++) m[r * 16 + c] -= f * m[k * 16 + c];
    }
}

/* Where `step` is 1 a row begins in the middle of the one that it is changed by. */
kernel void near_rows(global int *x, int step) {
  global int *row = x + get_global_id(0) * 100;
  for (int c = 0; c < 29; c++) row[step + c] += row[c];
  if (step != 1) row[step + 29] += row[29];
}
