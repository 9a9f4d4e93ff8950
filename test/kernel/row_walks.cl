// Each work-item goes along a row of its own, which is read in blocks: rows of any length, of whole blocks and none.
// run: -k product -g 1000 '[1000]' '[37000]=i%11' '[37]=i%5' 37
// expect: 0: sum(k,0,37,(37*i+k)%11*(k%5))
// run: -k product -g 1000 '[1000]' '[64000]=i%11' '[64]=i%5' 64
// expect: 0: sum(k,0,64,(64*i+k)%11*(k%5))
// run: -k product -g 1000 '[1000]' '[5000]=i%11' '[5]=i%5' 5
// expect: 0: sum(k,0,5,(5*i+k)%11*(k%5))
// run: -k product -g 1000 '[1000]' '[8]' '[8]' 0
// expect: 0: 0
kernel void product(global float *out, global const float *a, global const float *x, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[i * n + k] * x[k];
  out[i] = sum;
}

// Doubles, and rows of two arrays; known turns; a row that begins somewhere and one where few work-items walk.
// run: -k doubles -g 1000 '(double)[1000]' '(double)[19000]=i%11' '(double)[19000]=i%5' 19
// expect: 0: sum(k,0,19,(19*i+k)%11*((19*i+k)%5))
kernel void doubles(global double *out, global const double *a, global const double *b, int n) {
  int i = get_global_id(0);
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[i * n + k] * b[i * n + k];
  out[i] = sum;
}

// run: -k known -g 1000 '[1000]' '[100000]=i%11' '[1000]=i*7%1000'
// expect: 0: sum(k,0,100,(100*(i*7%1000)+k)%11)/7
kernel void known(global float *out, global const float *a, global const int *row) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < 100; k++) sum += a[row[i] * 100 + k] / 7;
  out[i] = rint(sum * 7) / 7;
}

// run: -k some -g 1000 '[1000]' '[37000]=i%11' 37
// expect: 0: i%3==0 ? sum(k,0,37,((37*i+k)%11)*((37*i+k)%11)) : 0-1
kernel void some(global float *out, global const float *a, int n) {
  int i = get_global_id(0);
  float sum = -1;
  if (i % 3 == 0) {
    sum = 0;
    for (int k = 0; k < n; k++) sum += a[i * n + k] * a[i * n + k];
  }
  out[i] = sum;
}

// The program's own hint counts, and stores into the rows keep the order.
// run: -k hinted -g 1000 '[1000]' '[37000]=i%11' 37
// expect: 0: sum(k,0,37,(37*i+k)%11)
kernel void hinted(global float *out, global const float *a, int n) {
  int i = get_global_id(0);
  float sum = 0;
#pragma unroll 2
  for (int k = 0; k < n; k++) sum += a[i * n + k];
  out[i] = sum;
}

// run: -k shifted -g 1000 '[37000]=i%11' 37
// expect: 0: sum(k,0,i%37+1,(i-i%37+k)%11)
kernel void shifted(global float *a, int n) {
  int i = get_global_id(0);
  for (int k = 1; k < n; k++) a[i * n + k] += a[i * n + k - 1];
}

// run: -k doubled -g 1000 '[64000]' '[64000]=i%11' 64
// expect: 0: 2*sum(k,0,i%64+1,(i-i%64+k)%11)
kernel void doubled(global float *twice, global const float *row, int n) {
  int i = get_global_id(0);
  float all = 0;
  for (int k = 0; k < n; k++) twice[i * n + k] = 2 * (all += row[i * n + k]);
}

// What the turn before has stored is handed on, by arguments that may lie in one buffer and by ones that do not.
// run: -k recurrence -g 1000 '[37000]' '[37000]=i%5' 37
// expect: 0: loop(37, s=0:(k<=i%37 ? s/2+(i-i%37+k)%5 : s), k=0:k+1, s) ~ 1e-5
kernel void recurrence(global float *y, global const float *x, int n) {
  int i = get_global_id(0);
  y[i * n] = x[i * n];
  for (int k = 1; k < n; k++) y[i * n + k] = x[i * n + k] + 0.5f * y[i * n + k - 1];
}

// run: -k both -g 1000 '[37000]=i%11' '[37000]=1+i%5' 37
// expect: 1: loop(37, s=0:(k<=i%37 ? s+1+(i-i%37+k)%5 : s), k=0:k+1, s)
kernel void both(global float *a, global float *b, int n) {
  int i = get_global_id(0);
  for (int k = 1; k < n; k++) {
    a[i * n + k] -= a[i * n + k - 1] / b[i * n + k - 1];
    b[i * n + k] += b[i * n + k - 1];
  }
}

// Rows of bytes and shorts, four elements at a time, loaded and stored; a sum that every turn looks at.
// run: -k bytes -g 100 '(uchar)[3700]=i*7%251' '(uchar)[3700]' 37
// expect: 1: loop(37, s=0:(k<=i%37 ? floor((s*3+a0[i-i%37+k])/4) : s), k=0:k+1, s)
// run: -k shorts -g 100 '(short)[3700]=i*7%251-125' '(short)[3700]' 37
// expect: 1: i%37==0 ? a0[i] : a0[i]-a0[i-1]
// run: -k sums -g 100 '(int)[3700]=i*7%251-125' '[3700]' 37
// expect: 1: sum(k,i-i%37,i+1,a0[k])
// run: -k largest -g 100 '(uchar)[3700]=i*7%251' '(uchar)[100]' 37
// expect: 1: loop(37, s=0:max(s,a0[i*37+k]), k=0:k+1, s)
kernel void bytes(global const uchar *in, global uchar *out, int n) {
  int i = get_global_id(0), s = 0;
  for (int k = 0; k < n; k++) {
    s = (s * 3 + in[i * n + k]) / 4;
    out[i * n + k] = s;
  }
}
kernel void shorts(global const short *in, global short *out, int n) {
  int i = get_global_id(0);
  short before = 0;
  for (int k = 0; k < n; k++) {
    short now = in[i * n + k];
    out[i * n + k] = now - before;
    before = now;
  }
}
kernel void sums(global const int *in, global int *out, int n) {
  int i = get_global_id(0), s = 0;
  for (int k = 0; k < n; k++) out[i * n + k] = s += in[i * n + k];
}
kernel void largest(global const uchar *in, global uchar *out, int n) {
  int i = get_global_id(0);
  uchar most = 0;
  for (int k = 0; k < n; k++) most = max(most, in[i * n + k]);
  out[i] = most;
}

// Two elements of a row in each turn; rows that are only written.
// run: -k pairs -g 100 '[3800]=i*7%251' '[3800]' '[38]=i%5' 38
// expect: 1: i%2==0 ? a0[i]*(i%38%5)-a0[i+1]*((i%38+1)%5) : a0[i-1]*(i%38%5)+a0[i]*((i%38-1)%5)
// run: -k generated -g 100 '(uint)[3700]' 37
// expect: 0: loop(37, s=floor(i/37)*77+1:(k<=i%37 ? mod(s*5+3,1024) : s), k=0:k+1, s)
kernel void pairs(global const float *in, global float *out, global const float *by, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k += 2) {
    float c = by[k], s = by[k + 1], x = in[i * n + k], y = in[i * n + k + 1];
    out[i * n + k] = x * c - y * s;
    out[i * n + k + 1] = x * s + y * c;
  }
}
kernel void generated(global uint *out, int n) {
  int i = get_global_id(0);
  uint state = i * 77 + 1;
  for (int k = 0; k < n; k++) {
    state = (state * 5 + 3) & 1023;
    out[i * n + k] = state;
  }
}

// Components that fill a word: 8 turns at a time, and 4 where the loop is long.
// run: -k word_of_bytes -g 1000 '[1000]' '(uchar)[148000]=i%251' 37
// expect: 0: sum(k,0,37,(148*floor(i/4)+4*k+i%4)%251)
kernel void word_of_bytes(global float4 *out, global const uchar4 *a, int n) {
  int i = get_global_id(0);
  float4 sum = 0;
  for (int k = 0; k < n; k++) sum += convert_float4(a[i * n + k]);
  out[i] = sum;
}

// run: -k byte_products -g 1000 '(int)[1000]' '(char)[148000]=i%101-50' '(char)[148]=i%97-48' 37
// expect: 0: sum(k,0,148,((148*i+k)%101-50)*(k%97-48))
kernel void byte_products(global int *out, global const char4 *a, global const char4 *x, int n) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < n; k++) {
    char4 p = a[i * n + k], q = x[k];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  out[i] = sum;
}

// Rows by pointers of each lane's own, also where what is added to them is added in two parts.
// run: -k by_pointer -g 1000 '[1000]' '[37003]=i%11' '[40]=i%5' 36 1
// expect: 0: sum(k,0,36,((36*i+k+1)%11)*(k%5))
kernel void by_pointer(global float *out, global const float *a, global const float *x, int n, int first) {
  int i = get_global_id(0);
  float sum = 0;
  global const float *row = a + i * n;
  for (int k = 0; k < n; k += 4) sum += dot(vload4(0, row + k + first), vload4(0, x + k));
  out[i] = sum;
}

// A branch in the loop: rows that are apart by powers of two leave room for few lanes.
// run: -k checksum -g 1000 '[1000]' '(uint)[37000]=i%251' 37
// expect: 0: 1+sum(k,0,37,(37*i+k)%251)
kernel void checksum(global uint *out, global const uint *a, int n) {
  int i = get_global_id(0);
  uint sum = 1;
  for (int k = 0; k < n; k++) {
    sum += a[i * n + k];
    if ((k & 7) == 7) sum %= 65521;
  }
  out[i] = sum;
}

// Pointers that go on by steps, through blocks apart.
// run: -k by_steps -g 64 -l 16 '[64]' '[2000]=i%11' 7 3
// expect: 0: sum(k,0,7,(i+6*k)%11+(i+6*k+3)%11)
kernel void by_steps(global float *out, global const float *a, int n, int step) {
  int i = get_global_id(0);
  local float shared[16];
  float sum = 0;
  a += i;
  for (int k = 0; k < n; k++) {
    shared[15 - get_local_id(0)] = a[0];
    a += step;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += shared[15 - get_local_id(0)] + a[0];
    a += step;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sum;
}

// Loops too long for whole blocks that also write take one turn at a time.
// run: -k haar -g 1000 '[64000]' '[64000]=i%11' 64
// expect: 0: (i%64<32 ? (i-i%64+2*(i%64))%11+(i-i%64+2*(i%64)+1)%11 : (i-i%64+2*(i%64-32))%11-(i-i%64+2*(i%64-32)+1)%11)/2
kernel void haar(global float *o, global const float *a, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n / 2; k++) {
    float x = a[i * n + 2 * k], y = a[i * n + 2 * k + 1];
    o[i * n + k] = (x + y) * 0.5f;
    o[i * n + n / 2 + k] = (x - y) * 0.5f;
  }
}

// As many turns as the program tells; the row behind one's own, begun in the loop.
// run: -k told -g 1000 '[40000]=i%11' '[1000]'
// expect: 1: sum(k,0,40,(40*i+k)%11)
// run: -k neighbours -g 1000 '[19019]=i%11' '[1000]' 19
// expect: 1: sum(k,0,19,(19*i+k)%11*((19*i+19+k)%11))
// run: -k neighbours -g 1000 '[1001]=i%11' '[1000]' 1
// expect: 1: i%11*((i+1)%11)
kernel void told(global const float *a, global float *out) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < 40; k++) sum += a[i * 40 + k];
  out[i] = sum;
}
kernel void neighbours(global const float *a, global float *out, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[i * n + k] * a[(i + 1) * n + k];
  out[i] = sum;
}

// Backwards; two elements in each turn, the constant before the counter.
// run: -k backwards -g 1000 '[40000]=i%11' '[1000]' 40
// expect: 1: sum(k,0,40,(40*i+k)%11*pow(0.5,k)) ~ 1e-5
// run: -k backwards -g 1000 '[19000]=i%11' '[1000]' 19
// expect: 1: sum(k,0,19,(19*i+k)%11*pow(0.5,k)) ~ 1e-5
// run: -k by_twos -g 1000 '[40000]=i%11' '[1000]' 40
// expect: 1: sum(k,0,20,(40*i+2*k)%11*((40*i+2*k+1)%11))
// run: -k by_twos -g 1000 '[6000]=i%11' '[1000]' 6
// expect: 1: sum(k,0,3,(6*i+2*k)%11*((6*i+2*k+1)%11))
kernel void backwards(global const float *a, global float *out, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = n - 1; k >= 0; k--) sum = sum * 0.5f + a[i * n + k];
  out[i] = sum;
}
kernel void by_twos(global const float *a, global float *out, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n / 2; k++) sum += a[i * n + 2 * k] * a[i * n + 2 * k + 1];
  out[i] = sum;
}
