// Fast Fourier transforms of 512 rows of 256 complex numbers: radix 2 in local memory, 128 items a row.
// run: -k fft256 -g 65536 -l 128 '[131072]=rand(i)-0.5' '[131072]' --flops '5*8*2*g0' --name local_256
// expect: 1/211: sum(k,0,256,a0[2*(256*((i-i%512)/512)+k)]*cos(2*pi*k*((i%512-i%2)/2)/256)*(1-i%2)+a0[2*(256*((i-i%512)/512)+k)+1]*sin(2*pi*k*((i%512-i%2)/2)/256)*(1-i%2)+(i%2)*(a0[2*(256*((i-i%512)/512)+k)+1]*cos(2*pi*k*((i%512-i%2)/2)/256)-a0[2*(256*((i-i%512)/512)+k)]*sin(2*pi*k*((i%512-i%2)/2)/256))) ~ 1e-4
static uint reversed(uint x) {
  x = (x & 0x55) << 1 | (x & 0xAA) >> 1;
  x = (x & 0x33) << 2 | (x & 0xCC) >> 2;
  return (x & 0x0F) << 4 | (x & 0xF0) >> 4;
}
kernel void fft256(global const float2 *in, global float2 *out) {
  local float2 row[256];
  uint l = get_local_id(0), base = 256 * get_group_id(0);
  row[reversed(l)] = in[base + l];
  row[reversed(l + 128)] = in[base + l + 128];
  for (uint half_size = 1; half_size < 256; half_size *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint j = l & (half_size - 1), low = 2 * (l - j) + j, high = low + half_size;
    float angle = -3.14159265f * j / half_size, c = cos(angle), s = sin(angle);
    float2 a = row[low], b = row[high], t = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
    row[low] = a + t;
    row[high] = a - t;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + l] = row[l];
  out[base + l + 128] = row[l + 128];
}
