// Lanes that part at a branch and meet behind it, in loops that they leave one by one: the condition alone tells what each
// gets, on both sides or one, with several values, where only some lanes are there, and where a side leaves the loop.
// run: -k bisect -g 200 '[100]=2*i' 100 '[200]'
// expect: 2: floor((i+1)/2)
// run: -k divisor -g 200 6 '[200]'
// expect: 1: (i+1)%6==0?6:(i+1)%3==0?3:(i+1)%2==0?2:1
// run: -k one_side -g 200 '[200]=i%23' '[200]'
// expect: 1: floor(i%23/2)+i%23%2
// run: -k some -g 200 '[200]=i%23' '[200]'
// expect: 1: i%3==0?i%23*5:i%3==1?-1:-2
// run: -k leaves -g 200 '[200]=i%23' '[200]'
// expect: 1: i%23<9?i%23*2:90+i%23
// run: -k crossed -g 200 '[200]=i%23' '[400]'
// expect: 1: (floor((floor(i/2)%23+1)/2)%2==i%2?1:2)+3*floor(floor(i/2)%23/2)
kernel void bisect(global const int *in, int n, global int *out) {
  int i = get_global_id(0), low = 0, high = n;
  while (low < high) {
    int mid = (low + high) / 2;
    if (in[mid] < i) low = mid + 1;
    else high = mid;
  }
  out[i] = low;
}

kernel void divisor(int with, global int *out) {
  int i = get_global_id(0), a = i + 1, b = with;
  while (a != b) {
    if (a > b) a -= b;
    else b -= a;
  }
  out[i] = a;
}

// Takes two at a time, the odd one first.
kernel void one_side(global const int *in, global int *out) {
  int i = get_global_id(0), left = in[i], turns = 0;
  while (left != 0) {
    int taken = 2;
    if (left & 1) taken = 1;
    left -= taken;
    turns++;
  }
  out[i] = turns;
}

kernel void some(global const int *in, global int *out) {
  int i = get_global_id(0), left = in[i], sum = -2;
  if (i % 3 == 0) {
    sum = 0;
    while (left > 0) {
      int add;
      if (left % 4 == 1) {
        add = 7;
        sum -= 2;
      } else {
        add = 5;
      }
      sum += add;
      left--;
    }
  } else if (i % 3 == 1) {
    sum = -1;
  }
  out[i] = sum;
}

kernel void leaves(global const int *in, global int *out) {
  int i = get_global_id(0), most = in[i], sum = 0;
  for (int k = 0; k < most; k++) {
    int add;
    if (k < 4) {
      add = 2;
    } else {
      add = 1;
      sum++;
    }
    if (most >= 9 && k == 5) {
      sum = 90 + most;
      break;
    }
    sum += add;
  }
  out[i] = sum;
}

// One side exchanges both.
kernel void crossed(global const int *in, global int *out) {
  int i = get_global_id(0), a = 1, b = 2;
  for (int left = in[i]; left > 0; left--) {
    if (left & 1) {
      int c = a;
      a = b;
      b = c;
    } else {
      a += 3;
      b += 3;
    }
  }
  out[2 * i] = a;
  out[2 * i + 1] = b;
}
