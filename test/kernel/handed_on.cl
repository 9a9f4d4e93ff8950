// A pixel that one work-item writes and all of its group read behind the barrier, turn by turn: loaded once for all lanes,
// but in each turn.
// run: -k handed_on -g 256 -l 64 '(float4)image[4,1]' '[256]' 5 -b -cl-std=CL3.0
// expect: 1: 5*(int(i/64)*100+10)+15
kernel void handed_on(read_write image2d_t w, global float *out, int n) {
  int2 at = (int2)(get_group_id(0), 0);
  float s = 0;
  for (int k = 1; k <= n; k++) {
    if (get_local_id(0) == k) write_imagef(w, at, (float4)(at.x * 100 + k, 10, 0, 0));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE);
    float4 v = read_imagef(w, at);
    s += v.x + v.y;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE);
  }
  out[get_global_id(0)] = s;
}
