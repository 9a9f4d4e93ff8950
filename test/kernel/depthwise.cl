// Convolutions of channels by themselves, four pixels of four channels each, with nothing beyond edges. Most of it is
// code for some of the lanes in loops, of rows that lie apart: work-items by themselves do that in less.
// run: -k depthwise -g 4,3 '(float)[192]=1' '(float)[144]=1+int(i%8/4)' '(float)[192]' 2 8,3 1 1 3
// expect: 2: (int(i/4)%8%7==0?2:3)*(int(i/32)%3%2==0?2:3)*(1+int(i/96))
// run: -k depthwise -g 32,16 -l 8,16 '(float)[8192]=1' '(float)[144]=1+int(i%8/4)' '(float)[8192]' 16 64,16 1 1 3
// expect: 2: (int(i/4)%64%63==0?2:3)*(int(i/256)%16%15==0?2:3)*(1+int(i/4096))
kernel void depthwise(global const float4 *in, global const float4 *weights, global float4 *out, int blocks, int2 size,
                      int step, int spread, int taps) {
  const int channel = get_global_id(0) / blocks, first = get_global_id(0) % blocks * 4, y = get_global_id(1);
  float4 sum[4] = {0, 0, 0, 0};
  for (int j = 0; j < taps; j++) {
    const int row = y * step + j * spread - 1;
    if (row < 0 || row >= size.y) continue;
    global const float4 *pixels = in + (channel * size.y + row) * size.x + first * step - 1;
    for (int i = 0; i < taps; i++) {
      const float4 weight = weights[(j * taps + i) * 2 + channel];
      for (int k = 0; k < 4; k++) {
        const int column = (first + k) * step + i * spread - 1;
        const float4 pixel = column < 0 || column >= size.x ? 0 : pixels[i * spread + k * step];
        sum[k] = mad(pixel, weight, sum[k]);
      }
    }
  }
  for (int k = 0; k < 4; k++) out[(channel * get_global_size(1) + y) * blocks * 4 + first + k] = sum[k];
}
