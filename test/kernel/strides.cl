// Distances between elements that a kernel is given, and steps of whole launches: neighbours lie side by side when the
// distance is one, which is looked at as the kernel runs.
// run: -k chosen_rows -g 256 '[1000]=i%7' '[256]' 5
// expect: 1: sum(p,0,5,i%7>p?(((i%4)*50+7)*5+p)%7:0)
// run: -k spread -g 1000 1000 1 2 '[4000]=i' '[4000]=-1' --name spread_1_2
// expect: 4: i%2==0 && i<2000 ? 2*(i/2)+1 : -1
// run: -k spread -g 1000 1000 1 1 '[1000]=i' '[1000]=-1' --name spread_1_1
// expect: 4: 2*i+1
// run: -k spread -g 1000 1000 3 1 '[4000]=i' '[1000]=-1' --name spread_3_1
// expect: 4: 6*i+1
// run: -k spread -g 1000 1000 0 1 '[4]=i+5' '[1000]=-1' --name spread_0_1
// expect: 4: 11
// run: -k backwards -g 1000 1000 -1 '[1000]=i' '[1000]=-1' --name backwards
// expect: 3: 2*(999-i)
// run: -k backwards -g 1000 1000 1 '[2000]=i' '[1000]=-1' --name forwards
// expect: 3: 2*(999+i)
// run: -k bytes -g 1000 1000 4 8 '[4000]=0' '[8000]=0' --name bytes_4_8
// expect: 4: i%8<4 ? int((i-i%8)/8*3+7)>>(8*(i%4))&255 : 0
// run: -k bytes -g 1000 1000 4 4 '[4000]=0' '[4000]=0' --name bytes_4_4
// expect: 4: int((i-i%4)/4*3+7)>>(8*(i%4))&255
// run: -k steps -g 96 -l 32 1000 '[1000]=i' '[1000]=-1'
// expect: 2: i+3
// run: -k steps_unsigned -g 96 -l 32 1000 '[1000]=i' '[1000]=-1'
// expect: 2: i+3
// run: -k steps_down -g 96 -l 32 1000 '[1000]=i' '[1000]=-1'
// expect: 2: i+3
// run: -k wraps -g 64 -l 64 '[64]=-1' '[64]=-1'
// expect: 0: i<60 ? 4294967236+i : i-60
// expect: 1: (i*65535)%65536
// run: -k staged -g 96 '[576]=i' '[96]' 2
// expect: 1: 12*i+5
// run: -k staged_local -g 64 -l 32 '[384]=i' '[64]'
// expect: 1: 36*i+15+6*(31-2*(i%32))
// run: -k spread_masks -g 83 '[83]=i*7%5' '[166]=i' '[249]=i' '[332]=i' '[415]=i' '[664]=i' '[1328]=i' '[664]=0-1' '[249]=0-1' '[1328]=0-1'
// expect: 7: (floor(i/8)*7)%5==0 || i%8==3 || i%8==6 ? 0-1 : floor(i/8)*2+1 + floor(i/8)*3+floor(i/8)*3+2 + floor(i/8)*4+1+floor(i/8)*4+2 + floor(i/8)*5+4 + i + floor(i/8)*16+15
// expect: 8: (floor(i/3)*7)%5==0 ? 0-1 : i+1
// expect: 9: (floor(i/16)*7)%5==0 || i%16==7 ? 0-1 : i
// run: -k largest -g 32 '[4000]=i*37%1009' '[32]' 1000 1
// expect: 1: loop(32,k=i:k+32,at=i:(k+32<1000&&(k+32)*37%1009>at*37%1009?k+32:at),at)
// run: -k largest -g 32 '[4000]=i*37%1009' '[32]' 1000 4
// expect: 1: loop(32,k=i:k+32,at=4*i:(k+32<1000&&(4*(k+32))*37%1009>at*37%1009?4*(k+32):at),at)
// run: -k onto_a_component -g 100 '[400]=i' '[400]=-1' '[400]=-1'
// expect: 1: i%4==3 ? i+1000 : i
// expect: 2: i%4==2 ? i+1000 : i
/* what is an index is kept as well */
kernel void largest(global const int *x, global int *y, int n, int d) {
  int most = -1, at = -1;
  for (int k = get_global_id(0); k < n; k += get_global_size(0)) {
    int place = k * d;
    if (x[place] > most) most = x[place], at = place;
  }
  y[get_global_id(0)] = at;
}
kernel void spread(int n, int dx, int dy, global const int *x, global int *y) {
  int i = get_global_id(0);
  if (i < n) y[i * dy] = 2 * x[i * dx] + 1;
}
kernel void backwards(int n, int d, global const int *x, global int *y) {
  int i = get_global_id(0);
  y[i] = 2 * x[n - 1 + i * d];
}
kernel void bytes(int n, ulong dx, ulong dy, global char *x, global char *y) {
  ulong i = get_global_id(0);
  *(global int *)(x + i * dx) = 3 * (int)i + 7;
  *(global int *)(y + i * dy) = *(global const int *)(x + i * dx);
}
kernel void steps(int n, global const int *x, global int *y) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = x[i] + 3;
}
kernel void steps_unsigned(uint n, global const int *x, global int *y) {
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = x[i] + 3;
}
kernel void steps_down(int n, global const int *x, global int *y) {
  for (int i = n - 1 - (int)get_global_id(0); i >= 0; i -= get_global_size(0)) y[i] = x[i] + 3;
}
/* sums and products of more bits than are kept */
kernel void wraps(global uint *sums, global uint *products) {
  uint i = get_local_id(0);
  uint wide = 4294967236u;
  wide += get_local_id(0);
  ushort narrow = 65535;
  narrow *= (int)get_local_id(0);
  sums[i] = wide;
  products[i] = narrow;
}

/* Between accesses that lie side by side, others to memory of another kind. */
kernel void staged(global const float *in, global float *out, int k) {
  float f[6];
  size_t i = get_global_id(0);
  for (int j = 0; j < 6; j++) f[j] = in[6 * i + j];
  out[i] = f[k] + f[5 - k];
}
kernel void staged_local(global const float *in, global float *out) {
  local float row[6][32];
  size_t i = get_global_id(0), l = get_local_id(0);
  float sum = 0;
  for (int j = 0; j < 6; j++) {
    float x = in[6 * i + j];
    row[j][31 - l] = x;
    sum += x;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = sum + row[0][l] - row[0][31 - l];
}

/* Components side by side, of lanes that are on only: the mask of a row of memory is that of the lanes, spread. */
kernel void spread_masks(global const int *on, global const int *two, global const int *three, global const float *four,
                         global const short *five, global const int *eight, global const int *sixteen, global int *out8,
                         global int *out3, global int *out16) {
  size_t i = get_global_id(0);
  if (on[i] == 0) return;
  int x = two[2 * i + 1] + three[3 * i] + three[3 * i + 2] + (int)four[4 * i + 1] + (int)four[4 * i + 2] + five[5 * i + 4] +
          sixteen[16 * i + 15];
  for (int k = 0; k < 8; k++)
    if (k != 3 && k != 6) out8[8 * i + k] = x + eight[8 * i + k];
  for (int k = 0; k < 3; k++) out3[3 * i + k] = three[3 * i + k] + 1;
  for (int k = 0; k < 16; k++)
    if (k != 7) out16[16 * i + k] = sixteen[16 * i + k];
}

/* The second store is onto a component of the first: what takes no room of its own in three, the third of four. */
kernel void onto_a_component(global const float *in, global float *three, global float *four) {
  size_t i = get_global_id(0);
  float4 x = vload4(i, in);
  ((global float3 *)three)[i] = x.xyz;
  three[4 * i + 3] = x.w + 1000;
  ((global float4 *)four)[i] = x;
  four[4 * i + 2] = x.z + 1000;
}

kernel void chosen_rows(global const float *a, global float *b, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int p = 0; p < n; p++)
    if (a[i] > p) s += a[((i & 3) * 50 + 7) * n + p];
  b[i] = s;
}
