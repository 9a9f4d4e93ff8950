// Control flow: switch, goto, nested loops, early returns, irreducible loops, short circuits.
// run: -k switches -g 32 '[32]=i' '[32]'
// expect: 1: i<3 ? 10+i : i<6 ? 100 : i==7 ? 7+8 : i==8 ? 8 : i==20 ? 400 : -1
// run: -k ladder -g 250 '[251]=i' '[250]'
// expect: 1: i%97<88 ? i+(2*i+1)*(i%97+1) : 2*i
// run: -k gotos -g 32 '[32]=i'
// expect: 0: i==0 ? 0 : i*(i+1)/2
// run: -k irreducible -g 32 '[32]=i' '[32]'
// expect: 1: r1[i]
// run: -k collatz -g 64 '[64]=i+1'
// expect: 0: i==0?0: i==1?1: i==2?7: i==3?2: i==4?5: i==5?8: i==6?16: i==26?111: r0[i]
// run: -k loops -g 32 '[32]=i'
// expect: 0: sum(j,0,i,j%3==1?0:j>20?0:sum(k,0,j,k*k>j?0:k))
// run: -k early -g 32 20 '[32]=0-1'
// expect: 1: i>=20 ? 0-1 : i%4==0 ? i : i%4==1 ? i*2 : i%4==2 ? i*i : 99
// run: -k duff -g 32 '[32]=i'
// expect: 0: i==0 ? 0 : i
// run: -k conditions -g 32 '[32]=i' '[32]'
// expect: 1: (i>3&&i<10) || i==20 ? (i%2==1 ? 1 : 2) : (i>25 ? 3 : 4)
// run: -k gcd -g 64 '[64]=i*6+6' '[64]=(i*5)%50+10' '[64]'
// expect: 2: a0[i]%r2[i]==0 && a1[i]%r2[i]==0 ? r2[i] : 0
// run: -k below -g 83 '[96]=i+5' '[83]=0-1' '[96]=i' 77 3
// expect: 1: i<3||i>=77 ? 0-1 : i%16==9 ? 1 : i<40 ? sum(k,0,4,i+k+5)+(i%3==0 ? i : 0) : i+6
// run: -k turns -g 37 '[300]=i%7' '[300]=0-1' '[37]' 293
// expect: 1: i>=293 ? 0-1 : i%7==5 ? 1 : i%7+i
// expect: 2: sum(k,0,8,i+37*k<293 ? (i+37*k)%7 : 0)
// run: -k turns -g 3 -l 1 '[300]=i%7' '[300]=0-1' '[3]' 293
// expect: 1: i>=293 ? 0-1 : i%7==5 ? 1 : i%7+i
// expect: 2: sum(k,0,98,i+3*k<293 ? (i+3*k)%7 : 0)
// run: -k turns -g 13 -l 1 '[300]=i%7' '[300]=0-1' '[13]' 293
// expect: 1: i>=293 ? 0-1 : i%7==5 ? 1 : i%7+i
// expect: 2: sum(k,0,23,i+13*k<293 ? (i+13*k)%7 : 0)
kernel void switches(global const int *in, global int *out) {
  int x = in[get_global_id(0)], y = -1;
  switch (x) {
  case 0:
  case 1:
  case 2:
    y = 10 + x;
    break;
  case 3 ... 5:
    y = 100;
    break;
  case 7:
    y = 7; /* falls through */
  case 8:
    y = (y == 7 ? 7 : 0) + 8;
    break;
  default:
    switch (x & 0xffff) {
    case 20: {
      y = x * 20;
      break;
    }
    }
  }
  switch (x) {
  }
  out[get_global_id(0)] = y;
}

kernel void gotos(global int *x) {
  int i = x[get_global_id(0)], sum = 0;
again:
  if (i == 0) goto done;
  sum += i--;
  goto again;
done:
  x[get_global_id(0)] = sum;
}

kernel void irreducible(global const int *in, global int *out) {
  int n = in[get_global_id(0)], a = 0, b = 0;
  if (n & 1) goto middle;
top:
  a += 2;
middle:
  b += a + 1;
  if (b < n) goto top;
  /* the same with a flag */
  int c = 0, d = 0, skip = n & 1;
  do {
    if (!skip) c += 2;
    skip = 0;
    d += c + 1;
  } while (d < n);
  out[get_global_id(0)] = a == c && b == d ? a + 1 : -1000000 + n;
}

kernel void collatz(global int *x) {
  uint n = x[get_global_id(0)], steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    if (++steps > 1000) break;
  }
  x[get_global_id(0)] = steps;
}

kernel void loops(global int *x) {
  int n = x[get_global_id(0)], sum = 0;
  for (int j = 0; j < n; ++j) {
    if (j % 3 == 1) continue;
    if (j > 20) break;
    int k = 0;
    do {
      if (k >= j || k * k > j) break;
      sum += k;
    } while (++k < 100);
  }
  x[get_global_id(0)] = sum;
}

int pick(int i) {
  if (i % 4 == 0) return i;
  for (int j = 0;; j++) {
    if (i % 4 == 1 && j == 2) return i * j;
    if (i % 4 == 2 && j == i) return i * j;
    if (j > 50) break;
  }
  return 99;
}
kernel void early(int n, global int *out) {
  if (get_global_id(0) >= n) return;
  out[get_global_id(0)] = pick(get_global_id(0));
}

kernel void duff(global int *x) {
  int n = x[get_global_id(0)], count = 0, rounds = (n + 3) / 4;
  if (n > 0) switch (n % 4) {
    case 0:
      do {
        count++;
      case 3:
        count++;
      case 2:
        count++;
      case 1:
        count++;
      } while (--rounds > 0);
    }
  x[get_global_id(0)] = count;
}

kernel void conditions(global const int *in, global int *out) {
  int x = in[get_global_id(0)], touched = 0;
  int r = (x > 3 && x < 10) || (x == 20 && ++touched) ? (x & 1 ? 1 : 2) : x > 25 ? 3 : 4;
  out[get_global_id(0)] = touched == (x == 20) ? r : -1;
}

kernel void gcd(global const int *a, global const int *b, global int *out) {
  int x = a[get_global_id(0)], y = b[get_global_id(0)];
  while (y) {
    int t = x % y;
    x = y;
    y = t;
  }
  out[get_global_id(0)] = x;
}

/* Guarded code that most vectors run with all lanes on: a loop, branches and a return in it. */
kernel void below(global const uchar *a, global int *b, global const short *c, int n, int from) {
  int i = get_global_id(0), sum = 0;
  if (i < from || i >= n) return;
  if (c[i] % 16 == 9) {
    b[i] = 1;
    return;
  }
  if (i < 40) {
    for (int k = 0; k < 4; k++) sum += a[i + k];
    if (c[i] % 3 == 0) sum += c[i];
  } else {
    sum = a[i + 1];
  }
  b[i] = sum;
}

/* Loops that few lanes leave before the others, with sums that go on and branches inside. */
kernel void turns(global const uchar *a, global int *b, global short *sums, int n) {
  int id = get_global_id(0), sum = 0;
  for (int i = id; i < n; i += get_global_size(0)) {
    int x = a[i];
    sum += x;
    if (x == 5) {
      b[i] = 1;
      continue;
    }
    b[i] = x + i;
  }
  sums[id] = sum;
}

#define ELSE_IF(k) else if (i % 97 == (k)) x += y * (k);
#define EIGHT(k)                                                                                             \
  ELSE_IF(k) ELSE_IF(k + 1) ELSE_IF(k + 2) ELSE_IF(k + 3) ELSE_IF(k + 4) ELSE_IF(k + 5) ELSE_IF(k + 6)       \
  ELSE_IF(k + 7)
kernel void ladder(global const float *in, global float *out) {
  int i = get_global_id(0);
  float x = in[i], y = x + in[i + 1];
  if (x > y) x = 0;
  EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24) EIGHT(32) EIGHT(40) EIGHT(48) EIGHT(56) EIGHT(64) EIGHT(72) EIGHT(80)
  else y = x;
  out[i] = x + y;
}
