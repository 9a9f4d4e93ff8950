// Pointers: to pointers, through structures, casts between element types, into each address space, comparisons.
// run: -k some_records -g 100 '[1700]=i' '[1701]'
// expect: 1: i>0&&i<1601&&(i-1-(i-1)%16)/16%3!=0 ? i-1 : 0
// run: -k structures_apart -g 100 '[1701]=i' '[1701]'
// expect: 1: i>0&&i<1601 ? i : 0
// run: -k some_records -g 100 '[1700]=i' '[1701]' -b '-kiln-width=1'
// expect: 1: i>0&&i<1601&&(i-1-(i-1)%16)/16%3!=0 ? i-1 : 0
// run: -k structures_apart -g 100 '[1701]=i' '[1701]' -b '-kiln-width=1'
// expect: 1: i>0&&i<1601 ? i : 0
// run: -k some_records -g 100 '[1700]=i' '[1701]' -b '-kiln-width=4'
// expect: 1: i>0&&i<1601&&(i-1-(i-1)%16)/16%3!=0 ? i-1 : 0
// run: -k structures_apart -g 100 '[1701]=i' '[1701]' -b '-kiln-width=4'
// expect: 1: i>0&&i<1601 ? i : 0
// run: -k some_records -g 100 '[1700]=i' '[1701]' -b '-kiln-width=16'
// expect: 1: i>0&&i<1601&&(i-1-(i-1)%16)/16%3!=0 ? i-1 : 0
// run: -k structures_apart -g 100 '[1701]=i' '[1701]' -b '-kiln-width=16'
// expect: 1: i>0&&i<1601 ? i : 0
// run: -k records -g 100 '[1100]=i' '(float4)[100]'
// expect: 1: (i-i%4)/4*10+2+i%4
// run: -k records -g 100 '[1100]=i' '(float4)[100]' -b '-kiln-width=1'
// expect: 1: (i-i%4)/4*10+2+i%4
// run: -k records -g 100 '[1100]=i' '(float4)[100]' -b '-kiln-width=4'
// expect: 1: (i-i%4)/4*10+2+i%4
// run: -k records -g 100 '[1100]=i' '(float4)[100]' -b '-kiln-width=32'
// expect: 1: (i-i%4)/4*10+2+i%4
// run: -k chains -g 32 '[32]=i'
// expect: 0: i*2+7
// run: -k bytes -g 16 '[64]=i' '[16]'
// expect: 1: (4*i)%256 + 256*((4*i+1)%256) + 65536*((4*i+2)%256) + 16777216*((4*i+3)%256)
// run: -k spaces -g 16 -l 8 '[16]=i' '[16]=2*i' '[16]'
// expect: 2: i + 2*i + i%8 + 5
// run: -k walk -g 16 '[256]=i' '[16]'
// expect: 1: 16*i*16+120
// run: -k choose -g 64 '[64]=i' '[64]=100+i' '[64]'
// expect: 2: i%3==0 ? i : 100+i
// run: -k unaligned -g 8 '[128]=i' '[8]'
// expect: 1: 1*(i+1) + 256*(i+2) + 65536*(i+3) + 16777216*(i+4)
// run: -k words_as_vectors -g 64 20 10 '[64]'
// expect: 2: 20*i+370+4*(i%5)+1+((i+1)%5)+((i+2)%7)
// run: -k words_as_vectors -g 64 20 10 '[64]' -b '-kiln-width=1'
// expect: 2: 20*i+370+4*(i%5)+1+((i+1)%5)+((i+2)%7)
// run: -k words_as_vectors -g 64 20 10 '[64]' -b '-kiln-width=4'
// expect: 2: 20*i+370+4*(i%5)+1+((i+1)%5)+((i+2)%7)
// run: -k in_global -g 8 '[8]=3-i' '[8]'
// expect: 1: (3-i)*(3-i)
// run: -k null_buffer -g 4 null '[4]'
// expect: 1: 1
// run: -k vector_elements -g 32 '[32]=i'
// expect: 0: i%4==2 ? 2*i : i
kernel void chains(global int *x) {
  int a = x[get_global_id(0)], b = 7;
  int *p = &a, *q = &b, **pp = &p, ***ppp = &pp;
  *p *= 2;
  **ppp += 0;
  pp = &q;
  a += **pp;
  **pp = 1;
  int *list[3] = {&a, &b, 0};
  int sum = 0;
  for (int **at = list; *at != 0; at++) sum += **at;
  x[get_global_id(0)] = sum - b;
}

kernel void bytes(global const int *in, global uint *out) {
  size_t i = get_global_id(0);
  uchar four[4];
  for (int j = 0; j < 4; j++) four[j] = (uchar)in[4 * i + j];
  out[i] = *(uint *)four;
  global const uchar *raw = (global const uchar *)in;
  if (raw[16 * i] != (uchar)(4 * i)) out[i] = 0;
}

int read_global(global const int *p) { return *p; }
int read_local(local const int *p) { return *p; }
int read_constant(constant int *p) { return *p; }
int read_private(const int *p) { return *p; }
constant int five = 5;
kernel void spaces(global const int *g, constant int *c, global int *out) {
  local int l[8];
  int i = get_global_id(0), mine = g[i];
  l[get_local_id(0)] = get_local_id(0);
  out[i] = read_private(&mine) + read_constant(c + i) + read_local(&l[get_local_id(0)]) + read_constant(&five);
  if (read_global(g + i) != mine) out[i] = -1;
}

kernel void walk(global const int *in, global int *out) {
  global const int *p = in + 16 * get_global_id(0), *end = p + 16;
  int sum = 0;
  while (p < end) sum += *p++;
  out[get_global_id(0)] = sum;
}

kernel void choose(global const int *a, global const int *b, global int *out) {
  size_t i = get_global_id(0);
  global const int *p = i % 3 == 0 ? a : b;
  out[i] = p[i];
}

struct __attribute__((packed)) odd {
  uchar skipped;
  uint value;
};
kernel void unaligned(global const uchar *in, global uint *out) {
  size_t i = get_global_id(0);
  out[i] = ((global const struct odd *)(in + i))->value;
}

kernel void in_global(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  union {
    int list[4];
    int4 all;
  } u;
  u.all = (int4)(in[i]);
  int (*rows)[2] = (int (*)[2])u.list;
  out[i] = rows[1][0] * rows[0][1];
}

kernel void null_buffer(global int *p, global int *out) { out[get_global_id(0)] = p == 0; }

kernel void vector_elements(global int4 *x) {
  global int *third = (global int *)&x[get_global_id(0)] + 2;
  *third += *third;
}
/* Four floats that start where vectors may not, as real programs read them. */
kernel void records(global const float *in, global float4 *out) {
  int i = get_global_id(0);
  out[i] = *(global const float4 *)(in + 10 * i + 2);
}
kernel void some_records(global const float *in, global float *out) {
  int i = get_global_id(0);
  if (i % 3 == 0) return;
  *((global float16 *)(out + 1) + i) = *((global const float16 *)in + i);
}
struct wide {
  float16 all;
};
kernel void structures_apart(global const float *in, global float *out) {
  int i = get_global_id(0);
  *((global struct wide *)(out + 1) + i) = *((global const struct wide *)(in + 1) + i);
}

constant uchar odd[3] = {1, 2, 3};
constant uint words[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

// Arrays of words are looked at as vectors (hashcat's scrypt): nothing says that they lie as vectors do.
kernel void words_as_vectors(int n, int turns, global int *out) {
  int i = (int)get_global_id(0);
  uint before[5], kept[20], after[7];
  for (int k = 0; k < n; k++) kept[k] = i + k;
  for (int k = 0; k < n / 4; k++) before[k] = k;
  for (int k = 0; k < turns - 3; k++) after[k] = k * odd[k % 3] / odd[k % 3];
  private uint4 *rows = (private uint4 *)kept;
  for (int t = 0; t < turns; t++) rows[t % 5] += (uint4)((uint)t);
  uint sum = ((constant uint4 *)words)[i % 5].y + before[(i + 1) % 5] + after[(i + 2) % 7];
  for (int k = 0; k < n; k++) sum += kept[k];
  out[i] = (int)sum;
}
