// Indices at the edges of what there is: reflected, around to the other side, clamped; and addresses that wait behind
// a barrier. Inside, neighbours lie side by side, which is looked at as the kernel runs.
// run: -k reflect -g 137,9 '(uchar)[1233]=(i*7)%251' '(uchar)[1233]' 137
// expect: 1: int(sum(k,0,7,(137*int(i/137)+(i%137+k-3<0?3-k-i%137:i%137+k-3>136?275-k-i%137:i%137+k-3))*7%251)/7)
// run: -k reflect -g 5,3 '(uchar)[15]=(i*7)%251' '(uchar)[15]' 5
// expect: 1: int(sum(k,0,7,(5*int(i/5)+(i%5+k-3<0?3-k-i%5:i%5+k-3>4?11-k-i%5:i%5+k-3))*7%251)/7)
// run: -k around -g 137,9 '[1233]=i*i%1000' '[1233]' 137
// expect: 1: a0[i-i%137+(i%137+136)%137] + 2*a0[i] + 4*a0[i-i%137+(i%137+1)%137]
// run: -k around -g 3,5 '[15]=i*i%1000' '[15]' 3
// expect: 1: a0[i-i%3+(i%3+2)%3] + 2*a0[i] + 4*a0[i-i%3+(i%3+1)%3]
// run: -k around_bytes -g 300 '(uchar)[256]=i*3%251' '[300]'
// expect: 1: (i%256==200 ? 7 : i%256)*3%251
// run: -k down -g 100 '[100]=i' '[100]' 99 40
// expect: 1: i==59 ? 1000 : 99-i
// run: -k behind_barrier -g 96,7 -l 32,1 '[96]=i' '(uchar)[800]=9' 100 3
// expect: 1: i%100>=3&&i%100<99&&i>=3&&(i-3)%100%32!=31&&i<703 ? (i-3)%100+1 : 9
kernel void reflect(global const uchar *in, global uchar *out, int w) {
  int x = get_global_id(0), y = get_global_id(1), s = 0;
  for (int d = -3; d <= 3; d++) {
    int i = x + d;
    i = i < 0 ? -i : i;
    i = i >= w ? 2 * w - 2 - i : i;
    s += in[y * w + i];
  }
  out[y * w + x] = s / 7;
}
kernel void around(global const int *in, global int *out, int w) {
  int x = get_global_id(0), y = get_global_id(1);
  int left = x == 0 ? w - 1 : x - 1, right = x != w - 1 ? x + 1 : 0;
  out[y * w + x] = in[y * w + left] + 2 * in[y * w + x] + 4 * in[y * w + right];
}
/* numbers that wrap within a vector */
kernel void around_bytes(global const uchar *in, global int *out) {
  uchar i = (uchar)get_global_id(0);
  out[get_global_id(0)] = in[i == 200 ? (uchar)7 : i];
}
kernel void down(global const int *in, global int *out, int last, int except) {
  int i = last - (int)get_global_id(0);
  out[get_global_id(0)] = i != except ? in[i] : 1000;
}
/* The address is computed in more steps than other values would be computed again. */
kernel void behind_barrier(global const int *in, global uchar *out, int step, int offset) {
  local int t[32];
  int l = get_local_id(0), x = get_global_id(0), y = get_global_id(1);
  global uchar *at = out + mad24(y, step, mad24(x, 1, offset));
  t[l] = in[x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 31) *at = t[l + 1];
}
