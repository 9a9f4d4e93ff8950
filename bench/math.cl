// Seven functions in one expression, as simulations have them: the builtin library inlined and as vectors.
// run: -k mixed -g 1048576 '[1048576]=0.1+9.9*rand(i)' '[1048576]=3*rand(i+7)-1.5' '[1048576]' --items g0 --name mixed
// expect: 2/29: sin(a0[i])+cos(a1[i])*pow(a0[i],a1[i])+exp(-a0[i])*log(a0[i])+tan(0.1*a0[i])+atan2(a1[i],a0[i]) ~ 1e-4
// run: -k mixed_native -g 1048576 '[1048576]=0.1+9.9*rand(i)' '[1048576]=3*rand(i+7)-1.5' '[1048576]' --items g0 --name mixed_native
// expect: 2/29: sin(a0[i])+cos(a1[i])*pow(a0[i],a1[i])+exp(-a0[i])*log(a0[i])+tan(0.1*a0[i])+atan2(a1[i],a0[i]) ~ 1e-3
// run: -k mixed_double -g 1048576 '[1048576]=0.1+9.9*rand(i)' '[1048576]=3*rand(i+7)-1.5' '[1048576]' --items g0 --name mixed_double
// expect: 2/29: sin(a0[i])+cos(a1[i])*pow(a0[i],a1[i])+exp(-a0[i])*log(a0[i])+tan(0.1*a0[i])+atan2(a1[i],a0[i]) ~ 1e-9
kernel void mixed(global const float *a, global const float *b, global float *out) {
  size_t i = get_global_id(0);
  float x = a[i], y = b[i];
  out[i] = sin(x) + cos(y) * pow(x, y) + exp(-x) * log(x) + tan(0.1f * x) + atan2(y, x);
}
kernel void mixed_native(global const float *a, global const float *b, global float *out) {
  size_t i = get_global_id(0);
  float x = a[i], y = b[i];
  out[i] = native_sin(x) + native_cos(y) * native_powr(x, y) + native_exp(-x) * native_log(x) + native_tan(0.1f * x) +
           atan2(y, x);
}
kernel void mixed_double(global const double *a, global const double *b, global double *out) {
  size_t i = get_global_id(0);
  double x = a[i], y = b[i];
  out[i] = sin(x) + cos(y) * pow(x, y) + exp(-x) * log(x) + tan(0.1 * x) + atan2(y, x);
}
