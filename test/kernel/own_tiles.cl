// Nothing ties a group together: launches are cut into tiles of Kiln's own, which divide them if a size near theirs does.
// run: -k scaled -g 240,108 -l 8,4 '(float)[25920]=i%7' '(float)[25920]' 240
// expect: 1: 2*(i%7)+int(i/240)
// run: -k scaled -g 127,61 -l 1,1 '(float)[7747]=i%7' '(float)[7747]' 127
// expect: 1: 2*(i%7)+int(i/127)
// run: -k turned -g 240,108 -l 8,4 '(float)[25920]=i' '(float)[25920]' 240 108
// expect: 1: i%108*240+int(i/108)
// run: -k turned -g 127,61 -l 1,1 '(float)[7747]=i' '(float)[7747]' 127 61
// expect: 1: i%61*127+int(i/61)
kernel void scaled(global const float *in, global float *out, int width) {
  const int x = get_global_id(0), y = get_global_id(1);
  out[y * width + x] = 2 * in[y * width + x] + y;
}

kernel void turned(global const float *in, global float *out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  out[x * height + y] = in[y * width + x];
}
