// What image libraries do with coordinates: projections along an axis that an argument names, searches of a pixel's
// neighbourhood by coordinates in a vector, and digits from a table of sixteen bytes in a register.
// run: -k projection -g 256,256 '[4194304]=(i*37)%1009' '[65536]' 2 --bytes '4*64*g0*g1' --name projection_along_z
// expect: 1/7: loop(64,k=0:k+1,m=0:max(m,((i+65536*k)*37)%1009),m)
// run: -k projection -g 256,64 '[4194304]=(i*37)%1009' '[16384]' 1 --bytes '4*256*g0*g1' --name projection_along_y
// expect: 1/7: loop(256,k=0:k+1,m=0:max(m,((i%256+256*k+65536*int(i/256))*37)%1009),m)
// run: -k neighbours -g 1024,1024 '(uchar)[1048576]=(i*7+int(i/1024))%29<2' '(uchar)[1048576]' --items 'g0*g1' --name first_neighbour
// expect: 1/997: loop(9,k=0:k+1,f=9:f==9&&i%1024+k%3>0&&i%1024+k%3<1025&&i+1024*int(k/3)>=1024&&i+1024*int(k/3)<1049600&&a0[i+k%3-1+1024*(int(k/3)-1)]!=0?k:f,f)
// run: -k digits -g 262144 '(uchar8)[262144]=(i*37)%256' '(uchar16)[262144]' --bytes '24*g0' --name hexadecimal_digits
// expect: 1/61: loop(1,k=0:k+1,d=0:int(((int(i/2)*37)%256)/(i%2==0?16:1))%16,d<10?48+d:87+d)
kernel void projection(global const float *a, global float *out, int axis) {
  const int id0 = get_global_id(0), id1 = get_global_id(1), n = axis == 2 ? 64 : 256;
  float most = 0;
  for (int i = 0; i < n; i++) {
    const int x = axis == 0 ? i : id0, y = axis == 0 ? id0 : axis == 1 ? i : id1, z = axis == 2 ? i : id1;
    most = fmax(most, a[clamp(x, 0, 255) + clamp(y, 0, 255) * 256 + clamp(z, 0, 63) * 65536]);
  }
  out[id0 + id1 * 256] = most;
}
uchar look(global const uchar *a, int2 at) {
  return at.x < 0 || at.x >= 1024 || at.y < 0 || at.y >= 1024 ? 0 : a[at.x + at.y * 1024];
}
kernel void neighbours(global const uchar *a, global uchar *out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  uchar found = 9;
  for (int k = 0; k < 9 && found == 9; k++)
    if (look(a, at + (int2)(k % 3 - 1, k / 3 - 1)) != 0) found = k;
  out[at.x + at.y * 1024] = found;
}
kernel void digits(global const uchar8 *a, global uchar16 *out) {
  const uchar16 digit = (uchar16)('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f');
  const int i = get_global_id(0);
  uchar16 nibbles;
  nibbles.even = a[i] >> (uchar8)4;
  nibbles.odd = a[i] & (uchar8)15;
  out[i] = shuffle(digit, nibbles);
}
