// Gather and scatter of 1 M floats by a permutation, and a table look-up in constant memory.
// run: -k gather -g 1048576 '[1048576]=(i*40503)&1048575' '[1048576]=i' '[1048576]' --bytes '12*g0' --name gather
// expect: 2: a1[a0[i]]
// run: -k scatter -g 1048576 '[1048576]=(i*40503)&1048575' '[1048576]=i' '[1048576]' --bytes '12*g0' --name scatter
// expect: 2/7: a0[r2[i]]==i ? r2[i] : nan
// run: -k table -g 1048576 '[1048576]=rand(i)*256' '[256]=(i*197+13)&255' '[1048576]' --bytes '2*g0' --name table
// expect: 2: a1[a1[a0[i]]^(i&255)]
kernel void gather(global const uint *where, global const float *in, global float *out) {
  size_t i = get_global_id(0);
  out[i] = in[where[i]];
}
kernel void scatter(global const uint *where, global const float *in, global float *out) {
  size_t i = get_global_id(0);
  out[where[i]] = in[i];
}
kernel void table(global const uchar *in, constant uchar *box, global uchar *out) {
  size_t i = get_global_id(0);
  out[i] = box[box[in[i]] ^ (i & 255)];
}
