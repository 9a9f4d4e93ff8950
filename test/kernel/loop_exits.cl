/* What lanes take along out of loops that they leave at different turns. */

// run: -k sums -g 100 '(float)[100]' '(float)[100]=3*i+1' 12
// expect: 0: sum(k, 0, min(i % 7, 12), 3 * k + 1) + 3 * i + 1
kernel void sums(global float *out, global const float *in, int n) {
  int i = get_global_id(0), m = min(i % 7, n);
  float s = in[i];
  for (int k = 0; k < m; k++) s += in[k];
  out[i] = s;
}

// run: -k two_ends -g 100 '(int)[100]' '(int)[200]=i' 9
// expect: 0: i % 5 < i % 9 ? 1000 + sum(k, 0, i % 5, k + i) : sum(k, 0, i % 9, k + i)
kernel void two_ends(global int *out, global const int *in, int n) {
  int i = get_global_id(0), s = 0, found = 0;
  for (int k = 0; k < i % n; k++) {
    if (k == i % 5) {
      found = 1000;
      break;
    }
    s += in[k + i];
  }
  out[i] = s + found;
}

/* The value of the turn before beside that of the last one. */
// run: -k before -g 100 '(int)[100]' '(int)[100]' '(int)[100]=i*i'
// expect: 0: sum(k, 0, i % 6 + 1, k * k)
// expect: 1: sum(k, 0, i % 6, k * k)
kernel void before(global int *out, global int *old, global const int *in) {
  int i = get_global_id(0), s = 0, last, k = 0;
  do {
    last = s;
    s += in[k];
  } while (k++ < i % 6);
  out[i] = s;
  old[i] = last;
}

/* Each way out leads to other code. */
// run: -k ways -g 100 '(int)[100]' '(int)[100]=i+2'
// expect: 0: i % 3 == 0 && i % 4 < i % 8 ? 10 * sum(k, 0, i % 4, k + 2) : 7 - sum(k, 0, i % 8, k + 2)
kernel void ways(global int *out, global const int *in) {
  int i = get_global_id(0), s = 0;
  for (int k = 0; k < i % 8; k++) {
    if (i % 3 == 0 && k == i % 4) goto early;
    s += in[k];
  }
  out[i] = 7 - s;
  return;
early:
  out[i] = 10 * s;
}

/* Out of both loops at once. */
// run: -k both -g 100 '(int)[100]' '(int)[100]=i+1'
// expect: 0: sum(r, 0, i % 5, sum(k, 0, r + i % 3 + 1, k + 1)) + sum(k, 0, i % 3, k + 1) + 100
kernel void both(global int *out, global const int *in) {
  int i = get_global_id(0), s = 0;
  for (int r = 0;; r++)
    for (int k = 0; k <= r + i % 3; k++) {
      if (r == i % 5 && k == i % 3) goto done;
      if (r > 8) goto done;
      s += in[k];
    }
done:
  out[i] = s + 100;
}

/* Lanes come to the inner loop again while others have left both. */
// run: -k again -g 100 '(int)[100]' '(int)[100]=i'
// expect: 0: 5 * i + sum(k, 0, 1 + i % 4, k + i % 3 * 10)
kernel void again(global int *out, global const int *in) {
  int i = get_global_id(0), s = 0, r = 0;
  do {
    s = 5 * i;
    int k = 0;
    do s += in[k] + r * 10;
    while (k++ < i % 4);
  } while (r++ < i % 3);
  out[i] = s;
}

/* A loop that some lanes pass by, with what it would begin with, and with something else. */
// run: -k past -g 100 '(int)[100]' '(int)[100]' '(int)[100]=i'
// expect: 0: i + (i % 2 == 0 ? sum(k, 0, i % 11, k) : 0)
// expect: 1: i % 2 == 0 ? i + sum(k, 0, i % 11, k) : 0 - 3
kernel void past(global int *out, global int *other, global const int *in) {
  int i = get_global_id(0), s = i, t = -3;
  if (i % 2 == 0) {
    for (int k = 0; k < i % 11; k++) s += in[k];
    t = s;
  }
  out[i] = s;
  other[i] = t;
}

/* What decides who leaves. */
// run: -k halves -g 100 '(int)[100]' '(float)[100]'
// expect: 0: i < 1 ? 0 : i < 2 ? 1 : i < 4 ? 2 : i < 8 ? 3 : i < 16 ? 4 : i < 32 ? 5 : i < 64 ? 6 : 7
// expect: 1: i < 1 ? 1 : i < 2 ? 2 : i < 4 ? 4 : i < 8 ? 8 : i < 16 ? 16 : i < 32 ? 32 : i < 64 ? 64 : 128
kernel void halves(global int *out, global float *power) {
  int i = get_global_id(0), n = 0;
  float p = 1;
  for (int x = i; x != 0; x /= 2) {
    n++;
    p *= 2;
  }
  out[i] = n;
  power[i] = p;
}

/* Vectors, narrow values and pointers go along, too. */
// run: -k kinds -g 100 '(int)[100]' '(short)[128]=i'
// expect: 0: sum(k, 0, i % 10, k) + 2 * sum(k, 0, i % 10, k + i) + i % 10 + i % 10
kernel void kinds(global int *out, global const short *in) {
  int i = get_global_id(0);
  int2 s = 0;
  uchar n = 0;
  global const short *p = in;
  for (int k = 0; k < i % 10; k++) {
    s += (int2)(k, in[k + i]);
    n++;
    p++;
  }
  out[i] = s.x + 2 * s.y + n + *p;
}

/* Inside a loop of as many turns for all, of which each begins with what the one before has left. */
// run: -k turns -g 100 '(int)[100]' '(int)[100]=i' 5
// expect: 0: 5 * sum(k, 0, i % 6, k) + i
kernel void turns(global int *out, global const int *in, int n) {
  int i = get_global_id(0), s = i;
  for (int r = 0; r < n; r++)
    for (int k = 0; k < i % 6; k++) s += in[k];
  out[i] = s;
}

/* Values go over a barrier. */
// run: -k over -g 128 -l 32 '(int)[128]' '(int)[128]=i+1' 'local[32]'
// expect: 0: i % 32 + sum(k, 0, (i ^ 1) % 9, k + 1)
kernel void over(global int *out, global const int *in, local int *shared) {
  int i = get_global_id(0), l = get_local_id(0), s = l;
  for (int k = 0; k < i % 9; k++) s += in[k];
  shared[l] = s - l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = l + shared[l ^ 1];
}

/* Places that lanes have left a loop with, which were made of what others have changed since. */
// run: -k places -g 128 '(uchar)[4096]' '(int)[1024]=i*31%1021'
// expect: 0: sum(k, 0, 128, sum(j, 0, k % 7 + 1, i == 2 * ((k + 128 * j) * 31 % 1021) ? (j == k % 7 ? 2 * j + 1 : j + 1) : 0))
kernel void places(global uchar *to, global const int *at) {
  int i = get_global_id(0), j = 0;
  global uchar *place;
  do {
    place = to + 2 * at[i + 128 * j];
    *place += ++j;
  } while (j <= i % 7);
  *place += j - 1;
}

// run: -k entries -g 128 '(int)[128]' '(int)[1024]=i*31%1021'
// expect: 0: sum(j, 0, i % 7 + 1, pow((i + 128 * j) * 31 % 1021 % 16, 2) * (j == i % 7 ? 4 : 1))
constant int squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
kernel void entries(global int *to, global const int *at) {
  int i = get_global_id(0), j = 0, sum = 0;
  constant int *place;
  do {
    place = squares + (at[i + 128 * j] & 15);
    sum += *place;
  } while (j++ < i % 7);
  to[i] = sum + 3 * *place;
}

// run: -k own_places -g 128 '(int)[128]' '(int)[1024]=i*31%1021'
// expect: 0: sum(j, 0, i % 7 + 1, (i + 128 * j) * 31 % 1021 % 16 + i) + 3 * (((i + 128 * (i % 7)) * 31 % 1021 % 16) + i)
kernel void own_places(global int *to, global const int *at) {
  int i = get_global_id(0), j = 0, sum = 0, own[16], *place;
  for (int k = 0; k < 16; k++) own[(k + i) & 15] = ((k + i) & 15) + i;
  do {
    place = own + (at[i + 128 * j] & 15);
    sum += *place;
  } while (j++ < i % 7);
  to[i] = sum + 3 * *place;
}
