// Each work-item goes along a row of its own: a matrix by a vector, the nearest of some points, sums from the left.
// run: -k product -g 4096 '[4096]' '[2097152]=rand(i)' '[512]=rand(i)' 512 --bytes '2048*g0' --name product
// expect: 0/31: sum(k,0,512,a1[i*512+k]*a2[k]) ~ 1e-4
// run: -k nearest -g 16384 '[16384]' '[524288]=rand(i)' '[512]=rand(i*7)' 32 --flops '1536*g0' --name nearest
// expect: 0/31: loop(16, j=0:j+1, b=1000:min(b,sum(k,0,32,(a1[i*32+k]-a2[j*32+k])*(a1[i*32+k]-a2[j*32+k]))), b) ~ 1e-4
// run: -k prefix -g 1024 '[1048576]' '[1048576]=i%7' 1024 --bytes '8192*g0' --name prefix
// expect: 0/997: sum(k,0,i%1024+1,(i-i%1024+k)%7)
// run: -k four_sums -g 1024 '[1024]' '[8388608]=i%7' --bytes '32768*g0' --name four_sums
// expect: 0/17: sum(k,0,2048,(i*2048+k)%7)
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
/* as code generators have it: four rows for each work-item, and four elements of each in a turn */
kernel void four_sums(global float4 *o, global const float *a) {
  int i = get_global_id(0);
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int k = 0; k < 512; k++) {
    int at = (i << 13) + (k << 2);
    float4 v0 = vload4(0, a + at), v1 = vload4(0, a + at + 2048), v2 = vload4(0, a + at + 4096),
           v3 = vload4(0, a + at + 6144);
    s0 = s0 + v0.x + v0.y + v0.z + v0.w;
    s1 = s1 + v1.x + v1.y + v1.z + v1.w;
    s2 = s2 + v2.x + v2.y + v2.z + v2.w;
    s3 = s3 + v3.x + v3.y + v3.z + v3.w;
  }
  o[i] = (float4)(s0, s1, s2, s3);
}
