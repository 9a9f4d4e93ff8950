// Two work-items side by side in scalar code: what they run together, each for itself, and not at all.
// run: -k ways -g 1001 -l 7 '[1001]=i*7919' '[16016]' -b -kiln-width=pair
// expect: 1: loop(20, x=uint((i-i%16)/16*7919)+(i%16):(x%3==(i%16)%3 ? uint(x*5+1) : x%2==1 ? uint(x+7) : uint(x)), x)
// run: -k ways -g 1000 -l 1 '[1000]=i*7919' '[16000]' -b -kiln-width=pair
// expect: 1: loop(20, x=uint((i-i%16)/16*7919)+(i%16):(x%3==(i%16)%3 ? uint(x*5+1) : x%2==1 ? uint(x+7) : uint(x)), x)
// run: -k leaves -g 64 -l 8 61 '[64]=i' -b -kiln-width=pair
// expect: 1: i<61 ? i*3+4 : i
// run: -k leaves -g 64 -l 8 2 '[64]=i' -b -kiln-width=pair
// expect: 1: i<2 ? i*3+4 : i
// run: -k leaves_some -g 64 -l 8 '[64]=i' -b -kiln-width=pair
// expect: 0: i%5==1 ? i : i*7+1
// run: -k counts -g 63 -l 7 '[4]' '[63]' -b -kiln-width=pair
// expect: 0: i==0 ? 63 : i==1 ? 21 : i==2 ? 1953 : 3
// run: -k counts -g 63 -l 1 '[4]' '[63]' -b -kiln-width=pair
// expect: 0: i==0 ? 63 : i==1 ? 21 : i==2 ? 1953 : 3
// run: -k own -g 33 -l 11 '[33]=i' -b -kiln-width=pair
// expect: 0: loop(9, s=0:s+(k+i)*((k*i)%8==k ? 3 : 1), k=0:k+1, s)
// run: -k turns -g 45 -l 9 '[45]' -b -kiln-width=pair
// expect: 0: (i*i)%17 + loop(12, s=0:(k%4==i%4 ? s+i : s*2%1000), k=0:k+1, s)
// run: -k returns -g 50 -l 5 '[50]' -b -kiln-width=pair
// expect: 0: i%3==0 ? 100+i : i%4==1 ? 200+i : i*2
// run: -k words -g 31 '[1]=1' '[31]' -b -kiln-width=pair
// expect: 1: i%4==0 ? 11+i : i%4==1 ? 22*i : i%4==2 ? 33-i : i
// run: -k keeps -g 45 -l 5 '[45]' -b -kiln-width=pair
// expect: 0: (i%5)%3==1 ? 7*i+2 : i*10+(i+2)%8
// run: -k keeps_on -g 48 -l 8 0 '[48]=i' -b -kiln-width=pair
// expect: 1: i%4==0 ? i : loop(3, s=0:s+10*i+(k*i%8-i%8+8)%8, k=0:k+1, s)

/* What differs from component to component, and a branch with and without another way. */
kernel void ways(global const uint *a, global uint *o) {
  size_t g = get_global_id(0);
  uint16 n = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), x = a[g] + n;
  for (int t = 0; t < 20; t++) {
    uint16 y = select(x, x + 7, (x & 1) == 1);
    x = select(y, x * 5 + 1, x % 3 == n % 3);
  }
  vstore16(x, g, o);
}

/* Neighbours leave together, or one of them goes on alone: with values from before. */
kernel void leaves(int n, global int *o) {
  int i = get_global_id(0), before = 0;
  for (int k = 0; k < 3; k++) before += i + (k & 1);
  if (i >= n) return;
  int x = before;
  for (int k = 0; k < 3; k++) x += n > 0;
  o[i] = x;
}
kernel void leaves_some(global int *o) {
  int i = get_global_id(0), x = o[i];
  if (i % 5 == 1) return;
  for (int k = 0; k < 6; k++) x += i;
  o[i] = x;
  if (i % 2 == 0) o[i]++;
  else o[i] += 1;
}

/* Atomics in common code and in code of one's own: once for each, also for one without a neighbour. */
kernel void counts(global int *sums, global int *found) {
  int i = get_global_id(0);
  int place = atomic_inc(&sums[0]);
  if (i % 3 == 1) {
    atomic_inc(&sums[1]);
    found[place] = i;
  }
  atomic_add(&sums[2], i);
  if (i % 21 == 3) {
    if (i > 0) atomic_inc(&sums[3]);
  }
}

/* Private arrays, read at indices of their own. */
kernel void own(global int *o) {
  int i = get_global_id(0), table[8], s = 0;
  for (int k = 0; k < 8; k++) table[k] = k;
  for (int k = 0; k < 9; k++) s += (k + i) * (table[k * i % 8] == k ? 3 : 1);
  o[i] = s;
}

/* Loops that neighbours leave at different turns, in code of their own and after uniform branches. */
kernel void turns(global int *o) {
  int i = get_global_id(0), s = 0, n = 0;
  for (int k = 0; k < 12; k++) {
    if (k % 4 == i % 4) s += i;
    else s = s * 2 % 1000;
  }
  if (i > -1) {
    int left = i * i;
    while (left >= 17) left -= 17;
    n = left;
  }
  o[i] = s + n;
}

/* Ways out of the middle. */
kernel void returns(global int *o) {
  int i = get_global_id(0);
  if (i % 3 == 0) {
    o[i] = 100 + i;
    return;
  }
  if (i % 4 == 1) {
    o[i] = 200 + i;
    return;
  }
  o[i] = i * 2;
}

/* Many ways, and a value that all have in common. */
kernel void words(global const int *one, global int *o) {
  int i = get_global_id(0), x = *one;
  switch (i & 3) {
  case 0:
    x = 11 + i;
    break;
  case 1:
    x = 22 * i;
    break;
  case 2:
    x = 33 - i;
    break;
  default:
    x *= i;
  }
  o[i] = x;
}

/* Private arrays that code of one's own writes, also for one without a neighbour; and of one who goes on alone. */
kernel void keeps(global int *o) {
  int i = get_global_id(0), table[8];
  for (int k = 0; k < 8; k++) table[k] = i * 10 + k;
  if (get_local_id(0) % 3 == 1)
    for (int k = 0; k < o[i] + 3; k++) table[(i + k) % 8] = 7 * i + k;
  o[i] = table[(i + 2) % 8];
}
kernel void keeps_on(int n, global int *o) {
  int i = get_global_id(0), table[8];
  for (int k = 0; k < 8; k++) table[(k + i) & 7] = i * 10 + k;
  if (i % 4 == n) return;
  int s = 0;
  for (int k = 0; k < n + 3; k++) s += table[(k * i) & 7];
  if (s > n) o[i] = s;
}
