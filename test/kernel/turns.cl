// A loop in steps of the global size whose places have a distance that is an argument.
// run: -k scaled -g 256 -l 32 1003 2 '[1003]=i' 0 1 '[1003]=i%7' 0 1
// expect: 5: i % 7 + 2 * i
// run: -k scaled -g 256 -l 32 1003 2 '[3012]=i' 2 3 '[2007]=i%7' 1 2
// expect: 5: i % 2 ? i % 7 + 2 * (3 * int(i / 2) + 2) : i % 7
kernel void scaled(int n, float by, global const float *x, int x_from, int x_step, global float *y, int y_from,
                   int y_step) {
  for (int k = get_global_id(0); k < n; k += get_global_size(0))
    y[k * y_step + y_from] += by * x[k * x_step + x_from];
}
