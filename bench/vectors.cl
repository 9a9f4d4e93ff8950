// Loops over OpenCL vectors that lie side by side in memory: a weighted sum of float4, sums of short8, the largest of
// uchar16, and a Horner scheme of int8; and atomic maxima by key.
// run: -k weighted -g 65536 -l 64 '(float4)[65600]=i%97' '(float4)[65536]' '[32]=(i+1)/528' --flops '2*4*32*g0' --name weighted_float4
// expect: 1: sum(k,0,32,((i+4*k)%97)*(k+1)/528) ~ 1e-5
// run: -k sums -g 65536 -l 64 '(short8)[65600]=i%97' '(short8)[65536]' --items '8*g0' --name sum_short8
// expect: 1: sum(k,0,32,(i+8*k)%97)
// run: -k most -g 65536 -l 64 '(uchar16)[65600]=(i*7)%251' '(uchar16)[65536]' --items '16*g0' --name most_uchar16
// expect: 1/61: loop(32,k=0:k+1,m=0:max(m,((i+16*k)*7)%251),m)
// run: -k horner -g 65536 -l 64 '(int8)[65600]=i%97' '(int8)[65536]' --items '8*g0' --name horner_int8
// expect: 1: int(loop(8,k=0:k+1,s=1:(s*3+(i+8*k)%97),s))
// run: -k maxima -g 1048576 -l 256 '[1048576]=i*2654435761%1000003' '(int)[4096]' --items g0 --name maxima_by_key
// expect: 1/97: loop(256,k=0:k+1,m=0:max(m,a0[i+4096*k]),m)
kernel void weighted(global const float4 *in, global float4 *out, global const float *weight) {
  int i = get_global_id(0);
  float4 sum = 0;
  for (int k = 0; k < 32; k++) sum += in[i + k] * weight[k];
  out[i] = sum;
}
kernel void sums(global const short8 *in, global short8 *out) {
  int i = get_global_id(0);
  short8 sum = 0;
  for (int k = 0; k < 32; k++) sum += in[i + k];
  out[i] = sum;
}
kernel void most(global const uchar16 *in, global uchar16 *out) {
  int i = get_global_id(0);
  uchar16 most = 0;
  for (int k = 0; k < 32; k++) most = max(most, in[i + k]);
  out[i] = most;
}
kernel void horner(global const int8 *in, global int8 *out) {
  int i = get_global_id(0);
  int8 s = 1;
  for (int k = 0; k < 8; k++) s = s * 3 + in[i + k];
  out[i] = s;
}
kernel void maxima(global const float *in, global int *most) {
  int i = get_global_id(0);
  atomic_max(&most[i % 4096], (int)in[i]);
}
