// Dynamic programming: alignment scores of 512 pairs of words of 64 letters, a diagonal of the table at a time in local
// memory, the whole table written.
// run: -k align -g 32768 -l 64 '[32768]=rand(i)*4' '[32768]=rand(i+3)*4' '[2097152]' --items '64*g0' --name align
// expect: 2/61: loop(0, p=(i-i%4096)/4096:p, x=i%64:x, y=(i%4096-i%64)/64:y, max((x&&y?r2[i-65]:-2*(x+y))+(a0[64*p+x]==a1[64*p+y]?1:-1), max(x?r2[i-1]:-2*(y+1), y?r2[i-64]:-2*(x+1))-2))
kernel void align(global const uchar *a, global const uchar *b, global int *table) {
  local int line[3][65];
  int l = get_local_id(0), pair = get_group_id(0);
  uchar mine = a[64 * pair + l];
  for (int d = 0; d < 127; d++) {
    int y = d - l; /* this item's cell of the diagonal is (l, y) */
    local int *now = line[d % 3], *last = line[(d + 2) % 3], *before = line[(d + 1) % 3];
    if (y >= 0 && y < 64) {
      int corner = l > 0 && y > 0 ? before[l - 1] : -2 * (l + y);
      int left = l > 0 ? last[l - 1] : -2 * (y + 1), above = y > 0 ? last[l] : -2 * (l + 1);
      int best = max(corner + (mine == b[64 * pair + y] ? 1 : -1), max(left, above) - 2);
      now[l] = best;
      table[4096 * pair + 64 * y + l] = best;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
