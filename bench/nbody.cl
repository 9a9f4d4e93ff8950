// All-pairs gravity, straight from global memory.
// run: -g 512 512 '[512]=rand(i)+0.1' '[512]' --flops '20*g0*g0' --name global
// expect: 2: i%4==3 ? 0 : sum(j,0,512,(a1[4*j+i%4]-a1[i])*a1[4*j+3]/pow((a1[4*j]-a1[i-i%4])*(a1[4*j]-a1[i-i%4])+(a1[4*j+1]-a1[i-i%4+1])*(a1[4*j+1]-a1[i-i%4+1])+(a1[4*j+2]-a1[i-i%4+2])*(a1[4*j+2]-a1[i-i%4+2])+0.01,1.5)) ~ 1e-3
kernel void gravity(int n, global const float4 *body, global float4 *force) {
  int i = get_global_id(0);
  float4 me = body[i], sum = 0;
  for (int j = 0; j < n; j++) {
    float4 d = body[j] - me;
    float inv = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
    sum.xyz += d.xyz * (body[j].w * inv * inv * inv);
  }
  force[i] = sum;
}
