// Image filters in buffers: a 5 x 5 box filter of RGBA bytes, a 7 x 7 convolution of floats from global memory, and
// one with its rows brought in by async copies, planes of 512 x 512 with a frame of 4 around them; an erosion of bytes
// in rows of 510, and one of windows that stop at the edges.
// run: -k box -g 512,512 '[270400]=rand(i)*256' '[262144]' --items 'g0*g1' --name box_uchar4
// expect: 1/769: trunc((sum(k,0,25,a0[4*((((i-i%2048)/2048)+2+(k-k%5)/5)*520+(i%2048-i%4)/4+2+k%5)+i%4])+12)/25)
// run: -k convolve -g 512,512 -l 16,16 '[270400]=rand(i)' '[262144]' '[49]=(i+1)/1225' --flops '2*49*g0*g1' --name conv_7x7
// expect: 1/769: sum(k,0,49,a2[k]*a0[((i-i%512)/512+1+(k-k%7)/7)*520+i%512+1+k%7]) ~ 1e-5
// run: -k convolve_async -g 512,512 -l 16,16 '[270400]=rand(i)' '[262144]' '[49]=(i+1)/1225' 'local[484]' --flops '2*49*g0*g1' --name conv_7x7_async
// expect: 1/769: sum(k,0,49,a2[k]*a0[((i-i%512)/512+1+(k-k%7)/7)*520+i%512+1+k%7]) ~ 1e-5
// run: -k erode -g 510,510 '[262144]=i*2654435761>>13' '[262144]' --items 'g0*g1' --name erode_bytes
// expect: 1: i%512>509 || i>=261120 ? 0 : min(min(a0[i+1],a0[i+512]),min(a0[i+513],min(a0[i+514],a0[i+1025])))
// run: -k window -g 512,512 '[262144]=i*2654435761>>13' '[262144]' 3 --items 'g0*g1' --name erode_window
// expect: 1/769: loop(49,k=0:k+1,m=255:(i%512+k%7<3||i%512+k%7>514||(i-i%512)/512+(k-k%7)/7<3||(i-i%512)/512+(k-k%7)/7>514?m:min(m,a0[i+k%7-3+512*((k-k%7)/7-3)])),m)
kernel void box(global const uchar4 *in, global uchar4 *out) {
  int x = get_global_id(0), y = get_global_id(1), pitch = 520;
  uint4 sum = 12;
  for (int j = 2; j < 7; j++)
    for (int i = 2; i < 7; i++) sum += convert_uint4(in[(y + j) * pitch + x + i]);
  out[y * 512 + x] = convert_uchar4(sum / 25);
}
kernel void convolve(global const float *in, global float *out, constant float *weight) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int j = 0; j < 7; j++)
    for (int i = 0; i < 7; i++) sum += weight[j * 7 + i] * in[(y + 1 + j) * 520 + x + 1 + i];
  out[y * 512 + x] = sum;
}
kernel void convolve_async(global const float *in, global float *out, constant float *weight, local float *tile) {
  int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  int left = get_group_id(0) * 16 + 1, top = get_group_id(1) * 16 + 1;
  event_t copied = 0;
  for (int row = 0; row < 22; row++)
    copied = async_work_group_copy(tile + row * 22, in + (top + row) * 520 + left, 22, copied);
  wait_group_events(1, &copied);
  float sum = 0;
  for (int j = 0; j < 7; j++)
    for (int i = 0; i < 7; i++) sum += weight[j * 7 + i] * tile[(ly + j) * 22 + lx + i];
  out[y * 512 + x] = sum;
}
kernel void erode(global const uchar *in, global uchar *out) {
  int at = get_global_id(1) * 512 + get_global_id(0);
  out[at] = min(min(in[at + 1], in[at + 512]), min(in[at + 513], min(in[at + 514], in[at + 1025])));
}
kernel void window(global const uchar *in, global uchar *out, int r) {
  int x = get_global_id(0), y = get_global_id(1);
  uchar least = 255;
  for (int j = max(y - r, 0); j <= min(y + r, 511); j++)
    for (int i = max(x - r, 0); i <= min(x + r, 511); i++) least = min(least, in[j * 512 + i]);
  out[y * 512 + x] = least;
}
