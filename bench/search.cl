// Looking for things: binary searches, the next level of a breadth-first search from one vertex in 16, trial divisions,
// bits counted one by one, checksums by a table.
// run: -k lower_bound -g 262144 '[65536]=3*i' '[262144]=(i*40503)%196608' '[262144]' --items g0 --name binary
// expect: 2/7: ceil(a1[i]/3)
// run: -k next_level -g 65536 '[65537]=8*i' '[524288]=(i*40503)&65535' '[65536]=i%16==0 ? 3 : -1' 3 '[1]' --items g0 --name next_level
// expect: 2/7: a2[i]>=0 || sum(m,0,8,floor(((30599*i&65535)+65536*m)/8)%16==0)==0 ? a2[i] : 4
// expect: 4: 1
// run: -k is_prime -g 65536 '[65536]' --items g0 --name trial_division
// expect: 0/31: i>1 && sum(d,2,257,d*d<=i && i%d==0)==0
// run: -k count_bits -g 262144 '[262144]=rand(i)*4294967295' '[262144]' --items g0 --name count_bits
// expect: 1/7: sum(k,0,32,(a0[i]>>k)&1)
// run: -k crc32 -g 16384 '[1048576]=i*37' '[256]=uint(i*2654435761)' '[16384]' --bytes '64*g0' --name crc32
// expect: 2/31: loop(64, c=4294967295:a1[(c^a0[64*i+k])&255]^(c>>8), k=0:k+1, 4294967295-c)
kernel void lower_bound(global const int *sorted, global const int *what, global int *out) {
  int i = get_global_id(0), v = what[i], low = 0, high = 65536;
  while (low < high) {
    int middle = (low + high) >> 1;
    if (sorted[middle] < v) low = middle + 1;
    else high = middle;
  }
  out[i] = low;
}
kernel void next_level(global const int *start, global const int *edge, global int *level, int depth, global int *found) {
  int i = get_global_id(0);
  if (level[i] != depth) return;
  for (int k = start[i]; k < start[i + 1]; k++) {
    int other = edge[k];
    if (level[other] < 0) {
      level[other] = depth + 1;
      *found = 1;
    }
  }
}
kernel void is_prime(global uchar *out) {
  uint i = get_global_id(0), prime = i > 1;
  for (uint d = 2; d * d <= i; d++)
    if (i % d == 0) {
      prime = 0;
      break;
    }
  out[i] = prime;
}
kernel void count_bits(global const uint *in, global uint *out) {
  uint i = get_global_id(0), n = 0;
  for (uint v = in[i]; v != 0; v &= v - 1) n++;
  out[i] = n;
}
kernel void crc32(global const uchar *text, constant uint *table, global uint *out) {
  uint i = get_global_id(0), c = ~0u;
  for (int k = 0; k < 64; k++) c = table[(c ^ text[i * 64 + k]) & 255] ^ (c >> 8);
  out[i] = ~c;
}
