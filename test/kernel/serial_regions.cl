// Code under masks in which the lanes that are on take turns: sums of neighbours, lists, values that leave it by several
// edges, loops in it and around it.
// run: -k neighbours -g 1024 -l 64 '[1024]=i%13' '[64]'
// expect: 1: i%4==3?64:sum(k,int(i/4)*64,int(i/4)*64+64,i%4==0?a0[k]:i%4==1?2*a0[k]:a0[k]*a0[k])
// run: -k chosen -g 1000 '[1000]=(i*7)%10' '[4096]=i' '[37000]' '[1000]'
// expect: 2: a0[int(i/37)]%3!=1?0:i%37==0?a1[(a0[int(i/37)]*37)%4096]:i%37==9?a1[(a0[int(i/37)]*91)%4096]:i%37==19?int(i/37):i%37==29?5:0
// expect: 3: a0[i]%3!=1?-i:(a0[i]*37+a0[i]*91)%7
// run: -k ways -g 1000 '[1000]=(i*7)%10' '[4096]=i%97' '[37000]' '[1000]'
// expect: 2: (i%37)%9==0&&i%37<36&&a0[int(i/37)]%5==int(i%37/9)?100+int(i/37)%7:0
// expect: 3: a0[i]%5==0?1:a0[i]%5==1?a1[(a0[i]*37)%4096]:a0[i]%5==2?a1[(a0[i]*53)%4096]+1:a0[i]%5==3?7:(a0[i]%2==0?i:0-i)
// run: -k lists -g 1000 '[1000]=(i*7)%10' '[4096]=i%97' '[1000]' '[1000]' '[37000]'
// expect: 2: a0[i]%3!=0?i:sum(k,0,a0[i],a1[(i*31+k*k)%4096])
// expect: 3: a0[i]%3!=0?0:a0[i]
// run: -k turns -g 1000 '[1000]=(i*7)%10' '[4096]=i%97' '[32000]' '[1000]' 20
// expect: 3: loop(20,stop=0:stop==0&&k%3==(i*7)%3&&a1[(i*13+k*29)%4096]>90?1:stop,last=-1:stop==0&&k%3==(i*7)%3&&a1[(i*13+k*29)%4096]<=90?a1[(i*13+k*29)%4096]:last,k=0:k+1,last)
// run: -k flags -g 1000 '[1000]=(i*7)%10' '[4096]=i%97' '[37000]' '[1000]'
// expect: 3: a0[i]%3==1?(a1[(a0[i]*37)%4096]>a1[(a0[i]*91)%4096]?2:3):a0[i]%2==0?2:3
// run: -k square -g 24,24 -l 6,6 '[576]=(i*7)%10' '[4096]=i%97' '[21312]' '[576]'
// expect: 3: a0[i]%3==1?a1[(a0[i]*37)%4096]*10+(i%24)%6:0-int(i/24)%6
// run: -k wide -g 1000 '[1000]=(i*7)%10' '(float4)[1024]=i%97' '(float4)[37000]' '(float4)[1000]'
// expect: 3: a0[int(i/4)]%3==1?a1[4*((a0[int(i/4)]*37)%1024)+i%4]+a1[4*((a0[int(i/4)]*91)%1024)+(i+1)%4]:i%4

struct sums {
  float plain, doubled, squares;
  int count, other;
};

kernel void neighbours(global const float *in, global float *out) {
  local struct sums s[64];
  int l = get_local_id(0);
  float x = in[get_global_id(0)];
  s[l].plain = x;
  s[l].doubled = 2 * x;
  s[l].squares = x * x;
  s[l].count = 1;
  for (int step = 1; step < 64; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % (2 * step) == 0) {
      s[l].plain += s[l + step].plain;
      s[l].doubled += s[l + step].doubled;
      s[l].squares += s[l + step].squares;
      s[l].count += s[l + step].count;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) vstore4((float4)(s[0].plain, s[0].doubled, s[0].squares, s[0].count), get_group_id(0), out);
}

kernel void chosen(global const int *in, global const int *table, global int *list, global int *out) {
  int i = get_global_id(0), x = in[i], found = -i;
  if (x % 3 == 1) {
    int a = table[x * 37 % 4096], b = table[x * 91 % 4096];
    list[37 * i] = a;
    list[37 * i + 9] = b;
    list[37 * i + 19] = i;
    list[37 * i + 29] = 5;
    found = (a + b) % 7;
  }
  out[i] = found;
}

kernel void ways(global const int *in, global const int *table, global int *list, global int *out) {
  int i = get_global_id(0), x = in[i], found;
  switch (x % 5) {
  case 0:
    list[37 * i] = 100 + i % 7;
    found = 1;
    break;
  case 1:
    list[37 * i + 9] = 100 + i % 7;
    found = table[x * 37 % 4096];
    break;
  case 2:
    list[37 * i + 18] = 100 + i % 7;
    found = table[x * 53 % 4096] + 1;
    break;
  case 3:
    list[37 * i + 27] = 100 + i % 7;
    found = 7;
    break;
  default:
    found = x % 2 == 0 ? i : -i;
  }
  out[i] = found;
}

kernel void lists(global const int *in, global const int *table, global int *sums, global int *counts,
                  global int *all) {
  int i = get_global_id(0), n = in[i], sum = i, count = 0;
  if (n % 3 == 0) {
    for (sum = 0; count < n; count++) {
      sum += table[(i * 31 + count * count) % 4096];
      all[37 * i + 3 * count] = sum;
    }
  }
  sums[i] = sum;
  counts[i] = count;
}

/* What is found last before a lane leaves the loop is wanted after it. */
kernel void turns(global const int *in, global const int *table, global int *list, global int *out, int n) {
  int i = get_global_id(0), last = -1;
  for (int k = 0; k < n; k++) {
    if (k % 3 != i * 7 % 3) continue;
    int at = (i * 13 + k * 29) % 4096, x = table[at];
    if (x > 90) {
      list[32 * i] = x;
      list[32 * i + 9] = k;
      list[32 * i + 17] = at;
      break;
    }
    list[32 * i + k] = x;
    last = x;
  }
  out[i] = last;
}

/* Truth values leave it. */
kernel void flags(global const int *in, global const int *table, global int *list, global int *out) {
  int i = get_global_id(0), x = in[i];
  bool found = x % 2 == 0;
  if (x % 3 == 1) {
    int a = table[x * 37 % 4096], b = table[x * 91 % 4096];
    list[37 * i + a % 8] = a;
    list[37 * i + b % 8] = b;
    list[37 * i + 20] = i;
    list[37 * i + 30] = x;
    found = a > b;
  }
  out[i] = found ? 2 : 3;
}

kernel void square(global const int *in, global const int *table, global int *list, global int *out) {
  int x = get_global_id(0), y = get_global_id(1), i = 24 * y + x, n = in[i], found = -get_local_id(1);
  if (n % 3 == 1) {
    int a = table[n * 37 % 4096];
    list[37 * i] = a;
    list[37 * i + 9] = x;
    list[37 * i + 19] = y;
    list[37 * i + 29] = n;
    found = a * 10 + get_local_id(0);
  }
  out[i] = found;
}

kernel void wide(global const int *in, global const float4 *table, global float4 *list, global float4 *out) {
  int i = get_global_id(0), x = in[i];
  float4 found = (float4)(0, 1, 2, 3);
  if (x % 3 == 1) {
    float4 a = table[x * 37 % 1024], b = table[x * 91 % 1024].yzwx;
    list[37 * i] = a;
    list[37 * i + 9] = b;
    found = a + b;
  }
  out[i] = found;
}
