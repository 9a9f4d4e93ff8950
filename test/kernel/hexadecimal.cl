// Two digits of each byte by a table in a register: OpenCL vectors of bytes, which lanes would take apart byte by byte.
// run: -k digits -g 100 '(uchar8)[100]=(i*37)%256' '(uchar16)[100]'
// expect: 1: loop(1,k=0:k+1,d=0:int(((int(i/2)*37)%256)/(i%2==0?16:1))%16,d<10?48+d:87+d)
kernel void digits(global const uchar8 *a, global uchar16 *out) {
  const uchar16 digit = (uchar16)('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f');
  const size_t i = get_global_id(0);
  uchar16 nibbles;
  nibbles.even = a[i] >> (uchar8)4;
  nibbles.odd = a[i] & (uchar8)15;
  out[i] = shuffle(digit, nibbles);
}
