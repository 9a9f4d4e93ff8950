// Loops from a start of each work-item's own to an end of its own: windows that stop at edges. Neighbours read
// neighbours, as long as no edge is near; element k of `in` is k.
// run: -k sums -g 1000 '[1000]=i' '[1000]' 1000 5
// expect: 1: 0
// run: -k sums -g 1000 -l 8 '[1000]=i' '[1000]' 1000 400
// expect: 1: 0
// run: -k rectangles -g 70,23 '[1610]=i' '[1610]' 70 23 3
// expect: 1: 0
// run: -k in_one_row -g 1610 '[1610]=i' '[1610]' 70 23 3
// expect: 1: 0
// run: -k in_one_row -g 1610 -l 70 '[1610]=i' '[1610]' 161 10 2
// expect: 1: 0
// run: -k in_one_row -g 1610 '[1610]=i' '[1610]' 5 322 1
// expect: 1: 0
// run: -k left -g 1000 '[1000]=i' '[1000]' 1000 7
// expect: 1: 0
// run: -k steps -g 1000 '[1000]=i' '[1000]' 1000 9
// expect: 1: 0
// run: -k narrow -g 200 '(uchar)[200]=i' '[200]' 200 6
// expect: 1: 0
// run: -k wraps -g 256 '[512]=i' '[256]' 20
// expect: 1: 0
// run: -k clamped -g 1000 '[1000]=i' '[1000]' 1000
// expect: 1: 0
// run: -k writes -g 1000 '[1000]' '[1000]' 1000 2
// expect: 0: i+1
int sum_of(int a, int b) { return a > b ? 0 : (a + b) * (b - a + 1) / 2; }
kernel void sums(global const int *in, global int *wrong, int n, int r) {
  int x = get_global_id(0), a = max(x - r, 0), b = min(x + r, n - 1), s = 0, t = 0, u = 0, v = 0, last = -1;
  for (int i = a; i <= b; i++) s += in[i];
  for (int i = a; i < b; i++) t += in[i];
  for (global const int *p = in + a; p <= in + b; p++) u += *p;
  for (int i = a; i <= b; i++) { // lanes leave in between
    if (in[i] % 11 == 3) break;
    last = i;
    v += in[i];
  }
  int stop = a;
  while (stop <= b && stop % 11 != 3) stop++;
  wrong[x] = (s != sum_of(a, b)) + (t != sum_of(a, b - 1)) * 2 + (u != sum_of(a, b)) * 4 +
             (v != sum_of(a, stop - 1)) * 8 + (last != (stop > a ? stop - 1 : -1)) * 16;
}
/* A rectangle whose work-items are counted in one dimension: rows end within vectors. */
kernel void in_one_row(global const int *in, global int *wrong, int w, int h, int r) {
  int at = get_global_id(0), x = at % w, y = at / w, s = 0, t = 0, rows = 0, good = 0;
  int x0 = max(x - r, 0), x1 = min(x + r, w - 1), y0 = max(y - r, 0), y1 = min(y + r, h - 1);
  for (int i = x0; i <= x1; i++)
    for (int j = y0; j <= y1; j++) s += in[j * w + i];
  for (int j = y0; j <= y1; j++) {
    for (int i = x0; i <= x1; i++) t += in[j * w + i] * (i - x) + in[(j - y0) * w + x - i + r] - ((j - y0) * w + x - i + r);
    good += sum_of(j * w + x0, j * w + x1);
    for (int i = x0; i <= x1; i++) rows += (j * w + i) * (i - x);
  }
  wrong[at] = (s != good) + 2 * (t != rows);
}

kernel void rectangles(global const int *in, global int *wrong, int w, int h, int r) {
  int x = get_global_id(0), y = get_global_id(1), s = 0, t = 0, n = 0, good = 0;
  int x0 = max(x - r, 0), x1 = min(x + r, w - 1), y0 = max(y - r, 0), y1 = min(y + r, h - 1);
  for (int j = y0; j <= y1; j++)
    for (int i = x0; i <= x1; i++) {
      s += in[j * w + i];
      n++;
    }
  for (int j = y0; j <= y1; j++) good += sum_of(j * w + x0, j * w + x1);
  if (x % 3 != 1 && y != 4) // without lane 0 of some vectors
    for (int j = y0 - 1; j++ < y1;)
      for (int i = x0 - 1; i++ < x1;) {
        if (i == j) continue;
        t += in[j * w + i];
      }
  int diagonal = 0;
  for (int j = y0; j <= y1; j++) diagonal += j >= x0 && j <= x1 ? j * w + j : 0;
  wrong[y * w + x] = (s != good) + (n != (x1 - x0 + 1) * (y1 - y0 + 1)) * 2 +
                     (t != (x % 3 != 1 && y != 4 ? good - diagonal : 0)) * 4;
}
kernel void left(global const int *in, global int *wrong, int n, int r) {
  int x = get_global_id(0), a = max(x - r, 0), b = min(x + r, n - 1), s = 0, t = 0, u = 0;
  for (int i = b; i >= a; i--) s += in[i];
  for (int i = n - 1 - a; i >= n - 1 - b; i--) t += in[n - 1 - i]; // each lane starts below the one before
  for (int i = n - 1 - a; i >= n - 1 - b; i--) u += in[i];
  wrong[x] = (s != sum_of(a, b)) + (t != sum_of(a, b)) * 2 + (u != sum_of(n - 1 - b, n - 1 - a)) * 4;
}
kernel void steps(global const int *in, global int *wrong, int n, int r) {
  int x = get_global_id(0), a = max(x - r, 0), b = min(x + r, n - 1), s = 0, t = 0, u = 0, good = 0, own = 0;
  for (int i = a; i <= b; i += 3) s += in[i];
  for (int i = a; i <= b; i += r) t += in[i];
  for (int i = a; i <= b; i += 1 + x % 2) u += in[i]; // not side by side for long
  for (int k = 0; a + k <= b; k += 3) good += a + k;
  for (int k = 0; a + k <= b; k += 1 + x % 2) own += a + k;
  int third = a + 2 * r <= b ? a + 2 * r : 0, second = a + r <= b ? a + r : 0;
  wrong[x] = (s != good) + (t != a + second + third) * 2 + (u != own) * 4;
}
kernel void narrow(global const uchar *in, global int *wrong, int n, int r) {
  int x = get_global_id(0), s = 0, t = 0, u = 0;
  uchar a = max(x - r, 0), b = min(x + r, n - 1);
  short c = a, d = b;
  for (uchar i = a; i <= b; i++) s += in[i];
  for (short i = c; i <= d; i++) t += in[i];
  for (size_t i = x > r ? x - r : 0; i <= b; i++) u += in[i];
  wrong[x] = (s != sum_of(a, b)) + (t != sum_of(a, b)) * 2 + (u != sum_of(a, b)) * 4;
}
kernel void wraps(global const int *in, global int *wrong, int turns) {
  uint x = get_global_id(0);
  int s = 0, t = 0, good = 0;
  uint first = max(x, 10u) - 200; // below 0 for some, and comes by it
  for (uint k = 0, i = first; k < turns + x % 2; k++, i++) s += in[i < 0x80000000 ? i : ~i];
  for (uint k = 0, i = first; k < turns + x % 2; k++, i++) t += in[(ulong)(uint)(i + 200)];
  for (int k = 0; k < turns + x % 2; k++) {
    int i = (int)first + k;
    good += i < 0 ? ~i : i;
  }
  int from = max(x, 10u);
  wrong[x] = (s != good) + (t != sum_of(from, from + turns + x % 2 - 1)) * 2;
}
kernel void clamped(global const int *in, global int *wrong, int n) {
  int x = get_global_id(0), i = x, s = 0, good = 0;
  for (int k = 0; k < 9 + x % 3; k++) { // stays at the last
    s += in[i];
    i = min(i + 1, n - 1);
  }
  for (int k = 0; k < 9 + x % 3; k++) good += min(x + k, n - 1);
  wrong[x] = (s != good) + (i != min(x + 9 + x % 3, n - 1)) * 2;
}
kernel void writes(global int *out, global int *other, int n, int r) {
  int x = get_global_id(0), a = max(x - r, 0), b = min(x + r, n - 1);
  for (int i = a; i <= b; i++) other[i] = 7; // the same by all
  for (int i = a; i <= b; i++)
    if (i == x) out[i] = i + 1;
}
