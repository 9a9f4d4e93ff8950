// Each work-item goes along a row of its own: a matrix by a vector, the nearest of some points, sums from the left.
// run: -k product -g 4096 '[4096]' '[2097152]=rand(i)' '[512]=rand(i)' 512 --bytes '2048*g0' --name product
// expect: 0/31: sum(k,0,512,a1[i*512+k]*a2[k]) ~ 1e-4
// run: -k nearest -g 16384 '[16384]' '[524288]=rand(i)' '[512]=rand(i*7)' 32 --flops '1536*g0' --name nearest
// expect: 0/31: loop(16, j=0:j+1, b=1000:min(b,sum(k,0,32,(a1[i*32+k]-a2[j*32+k])*(a1[i*32+k]-a2[j*32+k]))), b) ~ 1e-4
// run: -k prefix -g 1024 '[1048576]' '[1048576]=i%7' 1024 --bytes '8192*g0' --name prefix
// expect: 0/997: sum(k,0,i%1024+1,(i-i%1024+k)%7)
kernel void product(global float *out, global const float *matrix, global const float *vector, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += matrix[i * n + k] * vector[k];
  out[i] = sum;
}

kernel void nearest(global float *out, global const float *points, global const float *centres, int n) {
  int i = get_global_id(0);
  float least = 1000;
  for (int j = 0; j < 16; j++) {
    float sum = 0;
    for (int k = 0; k < n; k++) {
      float d = points[i * n + k] - centres[j * n + k];
      sum += d * d;
    }
    least = fmin(least, sum);
  }
  out[i] = least;
}

kernel void prefix(global float *out, global const float *in, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++) {
    sum += in[i * n + k];
    out[i * n + k] = sum;
  }
}
