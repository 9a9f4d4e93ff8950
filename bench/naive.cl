// As programs are written first: component by component, back and forth between arrays that may overlap for all the
// compiler knows, each work-item along a row of its own.
// run: -k leapfrog -g 65536 '[196608]=i%64' '[196608]=i%32' '[196608]=i%16' 0.125 --bytes '60*g0' --name leapfrog
// expect: 0/17: a0[i]+0.125*(a1[i]+0.125*a2[i]) ~ 1e-6
// run: -k brighten -g 262144 '[1048576]=i*7%251' '[1048576]' 40 --bytes '8*g0' --name brighten
// expect: 1/17: i%4<3 ? min(a0[i]+40,255) : a0[i]
// run: -k enlarge -g 256,256 '(uchar)[148996]=i*7%251' '[262144]' 193 --items 'g0*g1' --name enlarge
// expect: 1/17: floor(((1-mod(floor(i/4)%256*0.75,1))*a0[(floor(floor(i/1024)*0.75)*193+floor(floor(i/4)%256*0.75))*4+i%4]+mod(floor(i/4)%256*0.75,1)*a0[(floor(floor(i/1024)*0.75)*193+floor(floor(i/4)%256*0.75)+1)*4+i%4])*(1-mod(floor(i/1024)*0.75,1))+((1-mod(floor(i/4)%256*0.75,1))*a0[((floor(floor(i/1024)*0.75)+1)*193+floor(floor(i/4)%256*0.75))*4+i%4]+mod(floor(i/4)%256*0.75,1)*a0[((floor(floor(i/1024)*0.75)+1)*193+floor(floor(i/4)%256*0.75)+1)*4+i%4])*mod(floor(i/1024)*0.75,1))
// run: -k palette -g 262144 '(uchar)[262144]=i*7%251' '[1048576]' '(uchar)[1024]=i*3%256' --items g0 --name palette
// expect: 1/17: a2[4*a0[floor(i/4)]+i%4]
// run: -k normalise -g 1024 '(float)[1024000]=i%7+1' '[1024000]' 1000 --bytes '12000*g0' --name normalise
// expect: 1/17: a0[i]/sum(k,0,1000,a0[i-i%1000+k]) ~ 1e-5
// run: -k hinted -g 4096 '(uchar)[4194304]=i*7%251' '[4096]' 1024 --items '1024*g0' --name hinted_rows
// expect: 1/17: sum(k,0,1024,a0[1024*i+k])

kernel void leapfrog(global float *at, global float *velocity, global const float *force, float dt) {
  int i = get_global_id(0);
  for (int d = 0; d < 3; d++) {
    velocity[3 * i + d] += force[3 * i + d] * dt;
    at[3 * i + d] += velocity[3 * i + d] * dt;
  }
}

kernel void brighten(global const uchar *in, global uchar *out, int by) {
  int i = get_global_id(0);
  out[4 * i] = min(in[4 * i] + by, 255);
  out[4 * i + 1] = min(in[4 * i + 1] + by, 255);
  out[4 * i + 2] = min(in[4 * i + 2] + by, 255);
  out[4 * i + 3] = in[4 * i + 3];
}

kernel void enlarge(global const uchar *in, global uchar *out, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  float u = x * 0.75f, v = y * 0.75f;
  int left = (int)u, top = (int)v;
  float right = u - left, below = v - top;
  for (int c = 0; c < 4; c++) {
    float a = in[(top * width + left) * 4 + c], b = in[(top * width + left + 1) * 4 + c];
    float d = in[((top + 1) * width + left) * 4 + c], e = in[((top + 1) * width + left + 1) * 4 + c];
    float over = a * (1 - right) + b * right, under = d * (1 - right) + e * right;
    out[(y * get_global_size(0) + x) * 4 + c] = (uchar)(over * (1 - below) + under * below);
  }
}

kernel void palette(global const uchar *in, global uchar *out, global const uchar *colours) {
  int i = get_global_id(0);
  for (int c = 0; c < 4; c++) out[4 * i + c] = colours[4 * in[i] + c];
}

kernel void normalise(global const float *in, global float *out, int n) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += in[row * n + k];
  for (int k = 0; k < n; k++) out[row * n + k] = in[row * n + k] / sum;
}

kernel void hinted(global const uchar *in, global int *out, int n) {
  int row = get_global_id(0), sum = 0;
#pragma unroll 4
  for (int k = 0; k < n; k++) sum += in[row * n + k];
  out[row] = sum;
}
