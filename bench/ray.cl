// Rays from one point through 512 x 256 pixels at 16 spheres, an array of structs: by intersection, with shading, and by
// marching along the distance to the nearest, float4 throughout. At edges rounding decides.
// run: -k trace -g 512,256 '(float4)[32]=i%8==0 ? rand(i)*4-2 : i%8==1 ? rand(i)*2-1 : i%8==2 ? 3+4*rand(i) : i%8==3 ? 0.2+0.4*rand(i) : rand(i)' '[131072]' --items 'g0*g1' --name spheres
// expect: 1/1021: loop(0, L=sqrt(1+((((i%2048-i%4)/4)-255.5)*0.00390625)*((((i%2048-i%4)/4)-255.5)*0.00390625)+((((i-i%2048)/2048)-127.5)*0.00390625)*((((i-i%2048)/2048)-127.5)*0.00390625)):L, loop(0, X=(((i%2048-i%4)/4)-255.5)*0.00390625/L:X, Y=(((i-i%2048)/2048)-127.5)*0.00390625/L:Y, Z=1/L:Z, loop(16, T=1000: (loop(0, B=(X*a0[8*k+0]+Y*a0[8*k+1]+Z*a0[8*k+2]):B, loop(0, D=B*B-(a0[8*k+0]*a0[8*k+0]+a0[8*k+1]*a0[8*k+1]+a0[8*k+2]*a0[8*k+2]-a0[8*k+3]*a0[8*k+3]):D, D>0 && B-sqrt(D)>0 ? B-sqrt(D) : 1000)))<T ? loop(0, B=(X*a0[8*k+0]+Y*a0[8*k+1]+Z*a0[8*k+2]):B, loop(0, D=B*B-(a0[8*k+0]*a0[8*k+0]+a0[8*k+1]*a0[8*k+1]+a0[8*k+2]*a0[8*k+2]-a0[8*k+3]*a0[8*k+3]):D, D>0 && B-sqrt(D)>0 ? B-sqrt(D) : 1000)) : T, S=0: (loop(0, B=(X*a0[8*k+0]+Y*a0[8*k+1]+Z*a0[8*k+2]):B, loop(0, D=B*B-(a0[8*k+0]*a0[8*k+0]+a0[8*k+1]*a0[8*k+1]+a0[8*k+2]*a0[8*k+2]-a0[8*k+3]*a0[8*k+3]):D, D>0 && B-sqrt(D)>0 ? B-sqrt(D) : 1000)))<T ? k : S, k=0:k+1, T<1000 ? (i%4==3 ? T : a0[8*S+4+i%4]*max(0,((X*T-a0[8*S])*0.48+(Y*T-a0[8*S+1])*0.64-(Z*T-a0[8*S+2])*0.6)/a0[8*S+3])) : (i%4==3 ? 1000 : 0)))) ~ 1e-2,2%
// run: -k march -g 512,256 '(float4)[32]=i%8==0 ? rand(i)*4-2 : i%8==1 ? rand(i)*2-1 : i%8==2 ? 3+4*rand(i) : i%8==3 ? 0.2+0.4*rand(i) : rand(i)' '[131072]' --items 'g0*g1' --name march_float4
// expect: 1/1021: loop(0, L=sqrt(1+((i%512-255.5)*0.00390625)*((i%512-255.5)*0.00390625)+(((i-i%512)/512-127.5)*0.00390625)*(((i-i%512)/512-127.5)*0.00390625)):L, loop(0, X=(i%512-255.5)*0.00390625/L:X, Y=((i-i%512)/512-127.5)*0.00390625/L:Y, Z=1/L:Z, loop(48, t=0: loop(0, d=loop(16, m=1000:min(m,sqrt((X*t-a0[8*k])*(X*t-a0[8*k])+(Y*t-a0[8*k+1])*(Y*t-a0[8*k+1])+(Z*t-a0[8*k+2])*(Z*t-a0[8*k+2]))-a0[8*k+3]), k=0:k+1, m):d, t<20 && d>=0.001 ? t+d : t), t))) ~ 1e-2,3%
typedef struct {
  float4 at; /* w: radius */
  float4 colour;
} sphere;
static float4 direction(int2 pixel) {
  return fast_normalize((float4)((convert_float2(pixel) - (float2)(255.5f, 127.5f)) * 0.00390625f, 1, 0));
}
static float hit(float3 d, float4 s) {
  float b = dot(d, s.xyz), c = b * b - dot(s.xyz, s.xyz) + s.w * s.w;
  if (c <= 0) return 1000;
  float t = b - sqrt(c);
  return t > 0 ? t : 1000;
}
kernel void trace(global const sphere *scene, global float4 *out) {
  int2 pixel = (int2)(get_global_id(0), get_global_id(1));
  float3 d = direction(pixel).xyz;
  float nearest = 1000;
  int which = -1;
  for (int k = 0; k < 16; k++) {
    float t = hit(d, scene[k].at);
    if (t < nearest) {
      nearest = t;
      which = k;
    }
  }
  float4 colour = 0;
  if (which >= 0) {
    sphere s = scene[which];
    float3 normal = (d * nearest - s.at.xyz) / s.at.w;
    colour = s.colour * max(0.0f, dot(normal, (float3)(0.48f, 0.64f, -0.6f)));
  }
  colour.w = nearest;
  out[pixel.y * 512 + pixel.x] = colour;
}
static float distance_to(float4 p, constant sphere *scene) {
  float least = 1000;
  for (int k = 0; k < 16; k++) {
    float4 at = scene[k].at;
    least = min(least, length((float4)(p.xyz - at.xyz, 0)) - at.w);
  }
  return least;
}
kernel void march(constant sphere *scene, global float *out) {
  int2 pixel = (int2)(get_global_id(0), get_global_id(1));
  float4 d = direction(pixel);
  float t = 0;
  for (int step = 0; step < 48 && t < 20; step++) {
    float near = distance_to(d * t, scene);
    if (near < 0.001f) break;
    t += near;
  }
  out[pixel.y * 512 + pixel.x] = t;
}
