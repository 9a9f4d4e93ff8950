// Structures: words of records at indices from memory, and one vector of several.
// run: -k at_index -g 131072 '[917504]=rand(i)' '(int)[131072]=i*7919%131072' '[131072]' --items g0 --name at_index
// expect: 2: a0[7*a1[i]]*a0[7*a1[i]+3]+a0[7*a1[i]+1]*a0[7*a1[i]+4]+a0[7*a1[i]+2]*a0[7*a1[i]+5]+a0[7*a1[i]+6] ~ 1e-6
// run: -k one_of_three -g 65536 '[786432]=i%64' '[65536]=i%32' '[786432]=0-1' --bytes '36*g0' --name one_of_three
// expect: 2: i%12>3 && i%12<8 ? i%64+floor(i/12)%32 : 0-1

typedef struct { float x, y, z, u, v, w, t; } seven;
typedef struct { float4 position, velocity, force; } particle;

kernel void at_index(global const float *records, global const int *index, global float *out) {
  int i = get_global_id(0);
  seven s = ((global const seven *)records)[index[i]];
  out[i] = s.x * s.u + s.y * s.v + s.z * s.w + s.t;
}

kernel void one_of_three(global const float *before, global const float *by, global float *after) {
  int i = get_global_id(0);
  ((global particle *)after)[i].velocity = ((global const particle *)before)[i].velocity + by[i];
}
