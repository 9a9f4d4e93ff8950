// All-pairs gravity of 2048 bodies, float4 and straight from global memory, and through local tiles of 128.
// run: -k direct -g 2048 -l 128 2048 '[2048]=rand(i)+0.1' '[2048]' --flops '20*g0*g0' --name global
// expect: 2/97: i%4==3 ? 0 : sum(j,0,2048,(a1[4*j+i%4]-a1[i])*a1[4*j+3]/pow((a1[4*j]-a1[i-i%4])*(a1[4*j]-a1[i-i%4])+(a1[4*j+1]-a1[i-i%4+1])*(a1[4*j+1]-a1[i-i%4+1])+(a1[4*j+2]-a1[i-i%4+2])*(a1[4*j+2]-a1[i-i%4+2])+0.01,1.5)) ~ 1e-3
// run: -k tiled -g 2048 -l 128 2048 '[2048]=rand(i)+0.1' '[2048]' 'local[128]' --flops '20*g0*g0' --name tiled
// expect: 2/97: i%4==3 ? 0 : sum(j,0,2048,(a1[4*j+i%4]-a1[i])*a1[4*j+3]/pow((a1[4*j]-a1[i-i%4])*(a1[4*j]-a1[i-i%4])+(a1[4*j+1]-a1[i-i%4+1])*(a1[4*j+1]-a1[i-i%4+1])+(a1[4*j+2]-a1[i-i%4+2])*(a1[4*j+2]-a1[i-i%4+2])+0.01,1.5)) ~ 1e-3
// run: -b -cl-fast-relaxed-math -k tiled -g 2048 -l 128 2048 '[2048]=rand(i)+0.1' '[2048]' 'local[128]' --flops '20*g0*g0' --name tiled_relaxed
// expect: 2/97: i%4==3 ? 0 : sum(j,0,2048,(a1[4*j+i%4]-a1[i])*a1[4*j+3]/pow((a1[4*j]-a1[i-i%4])*(a1[4*j]-a1[i-i%4])+(a1[4*j+1]-a1[i-i%4+1])*(a1[4*j+1]-a1[i-i%4+1])+(a1[4*j+2]-a1[i-i%4+2])*(a1[4*j+2]-a1[i-i%4+2])+0.01,1.5)) ~ 1e-3
static float3 pull(float4 me, float4 other) {
  float3 d = other.xyz - me.xyz;
  float inv = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
  return d * (other.w * inv * inv * inv);
}
kernel void direct(int n, global const float4 *body, global float4 *force) {
  int i = get_global_id(0);
  float4 me = body[i];
  float3 sum = 0;
  for (int j = 0; j < n; j++) sum += pull(me, body[j]);
  force[i] = (float4)(sum, 0);
}
kernel void tiled(int n, global const float4 *body, global float4 *force, local float4 *tile) {
  int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  float4 me = body[i];
  float3 sum = 0;
  for (int t = 0; t < n; t += size) {
    tile[l] = body[t + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < size; j++) sum += pull(me, tile[j]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  force[i] = (float4)(sum, 0);
}
