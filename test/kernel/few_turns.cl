// Loops over the few rows that a work-item takes: as many as there are, also where the hint to unroll them names none.
// run: -k one -g 10,7 '[70]=i' '[70]' 10 7 --name one
// expect: 1: i+1
// run: -k one -g 10,9 '[70]=i' '[70]' 10 7 --name one_beyond
// expect: 1: i+1
// run: -k four -g 10,2 '[70]=i' '[70]' 10 7
// expect: 1: i+1
// run: -k by_twos -g 10,2 '[70]=i' '[70]' 10 7
// expect: 1: floor(i/10)%2==0?i+1:0
// run: -k unsigned_rows -g 10,3 '[70]=i' '[70]' 10 7
// expect: 1: i+1
// run: -k plain -g 10,3 '[90]=i' '[90]' 10
// expect: 1: i+1
// run: -k once_and_again -g 64 '[64]' 3
// expect: 0: i==0?3:0
// run: -k starts_late -g 64 '[64]' 5
// expect: 0: 1
// run: -k counts_twice -g 64 '[64]' 40
// expect: 0: i<40?1:0
// run: -k own_function -g 8 '[8]' 10 -b -DOWN
// expect: 0: 10-i
#define ROWS(type, name, rows_each, step, hint)                                                              \
  kernel void name(global const float *in, global float *out, type width, type rows) {                       \
    type x = get_global_id(0), first = get_global_id(1) * rows_each;                                         \
    hint for (type y = first, end = min(rows, (type)(first + rows_each)); y < end; y += step)                \
      out[y * width + x] = in[y * width + x] + 1;                                                            \
  }
#define UNROLL _Pragma("unroll")
ROWS(int, one, 1, 1, UNROLL)
ROWS(int, four, 4, 1, UNROLL)
ROWS(int, by_twos, 4, 2, UNROLL)
ROWS(uint, unsigned_rows, 3, 1, UNROLL)

kernel void plain(global const float *in, global float *out, int width) {
  int x = get_global_id(0), first = get_global_id(1) * 3;
#pragma unroll
  for (int y = first; y < first + 3; y++) out[y * width + x] = in[y * width + x] + 1;
}

/* Its end moves. */
kernel void once_and_again(global int *out, int n) {
  int i = get_global_id(0), end = min(n, i + 1), turns = 0;
  for (int k = i; k < end; k++, end = min(n, end + 1)) turns++;
  out[i] = i == 0 ? turns : 0;
}

/* The body comes first, and once even where the end lies before. */
kernel void starts_late(global int *out, int n) {
  int i = get_global_id(0), k = i, turns = 0;
  do turns++;
  while (++k < min(n, i + 1));
  out[i] = turns;
}

/* The counter takes another step in the loop. */
kernel void counts_twice(global int *out, int n) {
  int i = get_global_id(0), turns = 0;
  for (int k = i, end = min(n, i + 3); k < end; k++) {
    turns++;
    if (turns == 1) k += 2;
  }
  out[i] = turns;
}

#ifdef OWN /* no minimum at all */
int __attribute__((overloadable)) min(int a, int b) { return a > b ? a : b; }

kernel void own_function(global int *out, int n) {
  int i = get_global_id(0), turns = 0;
  for (int k = i, end = min(n, i + 1); k < end; k++) turns++;
  out[i] = turns;
}
#endif
