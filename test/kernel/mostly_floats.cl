// Registers are full of floats, whatever doubles there are outside loops.
// run: -k waves -g 70 (float)[70] (float)[70] 5
// expect: 0: 300 ~ 0.05
kernel void waves(global float *r, global const float *x, int n) {
  float v = x[get_global_id(0)], s = 0.0f;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) s += cos(v * k) * cos(v * j);
  r[get_global_id(0)] = s * tgamma(v + 1.0f) * tgamma(v + 2.0f) * tgamma(v + 3.0f) * tgamma(v + 4.0f);
}
