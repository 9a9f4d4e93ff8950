// A block cipher of ten rounds by four tables of 256 words, 256 K blocks of 16 bytes: tables in constant memory, and
// copied to local memory.
// run: -k tables -g 262144 '[262144]=floor(rand(i)*4294967296)' '[1024]=floor(rand(i+5)*4294967296)' '[40]=floor(rand(i+7)*4294967296)' '[262144]' --bytes '16*g0' --name tables
// expect: 3/1021: loop(10, s=a0[i-i%4]:a1[(s>>24)&255]^a1[256+((t>>16)&255)]^a1[512+((u>>8)&255)]^a1[768+(v&255)]^a2[4*k+0], t=a0[i-i%4+1]:a1[(t>>24)&255]^a1[256+((u>>16)&255)]^a1[512+((v>>8)&255)]^a1[768+(s&255)]^a2[4*k+1], u=a0[i-i%4+2]:a1[(u>>24)&255]^a1[256+((v>>16)&255)]^a1[512+((s>>8)&255)]^a1[768+(t&255)]^a2[4*k+2], v=a0[i-i%4+3]:a1[(v>>24)&255]^a1[256+((s>>16)&255)]^a1[512+((t>>8)&255)]^a1[768+(u&255)]^a2[4*k+3], k=0:k+1, i%4==0?s:i%4==1?t:i%4==2?u:v)
// run: -k local_tables -g 262144 -l 256 '[262144]=floor(rand(i)*4294967296)' '[1024]=floor(rand(i+5)*4294967296)' '[40]=floor(rand(i+7)*4294967296)' '[262144]' --bytes '16*g0' --name local_tables
// expect: 3/1021: loop(10, s=a0[i-i%4]:a1[(s>>24)&255]^a1[256+((t>>16)&255)]^a1[512+((u>>8)&255)]^a1[768+(v&255)]^a2[4*k+0], t=a0[i-i%4+1]:a1[(t>>24)&255]^a1[256+((u>>16)&255)]^a1[512+((v>>8)&255)]^a1[768+(s&255)]^a2[4*k+1], u=a0[i-i%4+2]:a1[(u>>24)&255]^a1[256+((v>>16)&255)]^a1[512+((s>>8)&255)]^a1[768+(t&255)]^a2[4*k+2], v=a0[i-i%4+3]:a1[(v>>24)&255]^a1[256+((s>>16)&255)]^a1[512+((t>>8)&255)]^a1[768+(u&255)]^a2[4*k+3], k=0:k+1, i%4==0?s:i%4==1?t:i%4==2?u:v)
kernel void tables(global const uint4 *in, constant uint *table, constant uint4 *key, global uint4 *out) {
  size_t i = get_global_id(0);
  uint4 s = in[i];
  for (int k = 0; k < 10; k++) {
    uint4 t;
    t.x = table[s.x >> 24] ^ table[256 + (s.y >> 16 & 255)] ^ table[512 + (s.z >> 8 & 255)] ^ table[768 + (s.w & 255)];
    t.y = table[s.y >> 24] ^ table[256 + (s.z >> 16 & 255)] ^ table[512 + (s.w >> 8 & 255)] ^ table[768 + (s.x & 255)];
    t.z = table[s.z >> 24] ^ table[256 + (s.w >> 16 & 255)] ^ table[512 + (s.x >> 8 & 255)] ^ table[768 + (s.y & 255)];
    t.w = table[s.w >> 24] ^ table[256 + (s.x >> 16 & 255)] ^ table[512 + (s.y >> 8 & 255)] ^ table[768 + (s.z & 255)];
    s = t ^ key[k];
  }
  out[i] = s;
}
static uint mixed(local const uint *table, uint a, uint b, uint c, uint d) {
  return table[a >> 24] ^ table[256 + (b >> 16 & 255)] ^ table[512 + (c >> 8 & 255)] ^ table[768 + (d & 255)];
}
kernel void local_tables(global const uint4 *in, global const uint *table, constant uint4 *key, global uint4 *out) {
  local uint t[1024];
  size_t i = get_global_id(0);
  for (size_t k = get_local_id(0); k < 1024; k += get_local_size(0)) t[k] = table[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint4 s = in[i];
  for (int k = 0; k < 10; k++)
    s = (uint4)(mixed(t, s.x, s.y, s.z, s.w), mixed(t, s.y, s.z, s.w, s.x), mixed(t, s.z, s.w, s.x, s.y),
                mixed(t, s.w, s.x, s.y, s.z)) ^
        key[k];
  out[i] = s;
}
