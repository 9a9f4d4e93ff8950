// golden: 1 4; normalise,lower; -g 60 -l 4 3 '[60]=i' '[60]'
kernel void saxpy(float a, global const float *x, global float *y) {
  size_t i = get_global_id(0);
  y[i] += a * x[i];
}
