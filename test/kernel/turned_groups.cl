// Groups of four vectors that add up rows of four OpenCL vectors each and meet in local memory.
// run: -k sums -g 64,4 -l 16,4 '(int)[256]=i%7' '(int)[65536]=i%11' '(int)[256]' 64
// expect: 2: sum(c,0,64,sum(k,0,4,((4*c+k)%7)*((((c*64+floor(i/4))*4+k)*4+i%4)%11)))
// run: -k sums -g 32,4 -l 32,4 '(int)[256]=i%7' '(int)[65536]=i%11' '(int)[128]' 61
// expect: 2: sum(c,0,61,sum(k,0,4,((4*c+k)%7)*((((c*32+floor(i/4))*4+k)*4+i%4)%11)))
kernel void sums(global const int4 *in, global const int4 *w, global int4 *out, int n) {
  local int4 temp[32][4];
  int x = get_global_id(0), lx = get_local_id(0), ly = get_local_id(1);
  int4 s = 0;
  for (int c = ly; c < n; c += 4) {
    int4 v = in[c];
    global const int4 *p = w + (c * (int)get_global_size(0) + x) * 4;
    s += v.x * p[0] + v.y * p[1] + v.z * p[2] + v.w * p[3];
  }
  temp[lx][ly] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ly == 0) out[x] = s + temp[lx][1] + temp[lx][2] + temp[lx][3];
}
