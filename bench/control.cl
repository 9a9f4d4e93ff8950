// Control flow that divides work-items: a switch, an early return, a nest of loops with another count in each item,
// barriers in a loop whose count comes from memory, and a machine that each item runs through a program of its own way.
// run: -k cases -g 1048576 '[1048576]=rand(i)*8' '[1048576]' --items g0 --name switch
// expect: 1: a0[i]==0 ? i : a0[i]==1 ? 2*i+1 : a0[i]==2 ? i*i%65536 : a0[i]==3 ? i^21845 : a0[i]==4 || a0[i]==5 ? (i>>3)+a0[i] : 7
// run: -k early -g 1048576 '[1048576]=rand(i)' '[1048576]=-1' --items g0 --name early_return
// expect: 1: a0[i]<0.75 ? -1 : sqrt(a0[i])+sqrt(sqrt(a0[i])) ~ 1e-5
// run: -k triangle -g 65536 '[65536]=rand(i)*64' '[65536]' --items '32*g0' --name divergent_loops
// expect: 1: loop(1, n=a0[i]:n, sum(k,0,n,(k*5)&7))
// run: -k rounds -g 65536 -l 128 '[1]=10' '[65536]=i' '[65536]' --items '10*g0' --name barriers_in_loop
// expect: 2: loop(10, p=i%128:(p+c*3+1)%128, c=9:c-1, a1[i-i%128+p])
// run: -k machine -g 65536 '[64]=rand(i)*8' '[65536]' --items '64*g0' --name interpreter
// expect: 1/511: loop(64, a=i%65536:at>63 ? a : a0[at]==0 ? (a+b)&65535 : a0[at]==4 ? a>>1 : a0[at]==7 ? a^85 : a, b=1:at>63 ? b : a0[at]==1 ? (3*a)&65535 : a0[at]==5 ? b^c : b, c=0:at>63 ? c : a0[at]==2 ? c^a : a0[at]==6 ? (5*c+1)&65535 : c, at=0:at>63 ? at : a0[at]==3 ? at+1+(a&1) : at+1, a+b+c)
kernel void cases(global const uchar *what, global uint *out) {
  uint i = get_global_id(0), r = 0;
  switch (what[i]) {
  case 0: r = i; break;
  case 1: r = 2 * i + 1; break;
  case 2: r = (i * i) % 65536; break;
  case 3: r = i ^ 0x5555; break;
  case 4:
  case 5: r = (i >> 3) + what[i]; break;
  default: r = 7;
  }
  out[i] = r;
}
kernel void early(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  float x = in[i];
  if (x < 0.75f) return;
  float root = sqrt(x);
  out[i] = root + sqrt(root);
}
kernel void triangle(global const uchar *count, global uint *out) {
  size_t i = get_global_id(0);
  uint sum = 0, n = count[i];
  for (uint k = 0; k < n; k++)
    for (uint j = 0; j < 8; j++) {
      if (j == ((k * 5) & 7)) break;
      sum++;
    }
  out[i] = sum;
}
/* each round an item takes its value from a neighbour; what it ends with comes from far away */
kernel void rounds(global const int *count, global const int *in, global int *out) {
  local int a[128], b[128];
  int l = get_local_id(0), n = count[0];
  a[l] = in[get_global_id(0)];
  for (int c = 0; c < n; c++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    b[l] = a[(l + c * 3 + 1) % 128];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = b[l];
  }
  out[get_global_id(0)] = a[l];
}
kernel void machine(constant uchar *code, global uint *out) {
  uint i = get_global_id(0), a = i & 65535, b = 1, c = 0;
  for (uint at = 0; at < 64; at++)
    switch (code[at]) {
    case 0: a = (a + b) & 65535; break;
    case 1: b = (3 * a) & 65535; break;
    case 2: c ^= a; break;
    case 3: at += a & 1; break;
    case 4: a >>= 1; break;
    case 5: b ^= c; break;
    case 6: c = (5 * c + 1) & 65535; break;
    default: a ^= 85;
    }
  out[i] = a + b + c;
}
