// Game of life on bytes, 1024 x 1024, the edges joined.
// run: -k life -g 1024,1024 '[1048576]=rand(i)<0.4' '[1048576]' --items 'g0*g1' --name uchar
// expect: 1/7: loop(1, s=sum(k,0,9,a0[(((i-i%1024)/1024+(k-k%3)/3+1023)%1024)*1024+(i%1024+k%3+1023)%1024])-a0[i]:s, s==3 || (s==2 && a0[i]))
kernel void life(global const uchar *in, global uchar *out) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  int left = (x + w - 1) % w, right = (x + 1) % w, up = (y + h - 1) % h * w, down = (y + 1) % h * w;
  int n = in[up + left] + in[up + x] + in[up + right] + in[y * w + left] + in[y * w + right] + in[down + left] +
          in[down + x] + in[down + right];
  uchar self = in[y * w + x];
  out[y * w + x] = n == 3 || (n == 2 && self);
}
