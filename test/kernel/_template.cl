// Copy this file, change a line: `ctest -R kernel.` runs every .cl of this folder (names with _ in front are left out).
// run: -g 64 3 '[64]=i' '[64]=1' --name simple
// expect: 2: 3*a1[i]+1
// run: -g 60 -l 4 3 '[60]=rand(i)' '[60]'
// expect: 2: 3*a1[i] ~ 1e-6
kernel void saxpy(float a, global const float *x, global float *y) {
  size_t i = get_global_id(0);
  y[i] += a * x[i];
}
