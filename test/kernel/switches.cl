// Switches that lanes take differently: cases that share code, fall through, leave a loop, and defaults that run
// before, between and after them.
// run: -k shared -g 67 '[67]=i%12' '[67]'
// expect: 1: i%12==0 ? 10 : i%12==1||i%12==4 ? 20 : i%12==2 ? 33 : i%12==3 ? 3 : i%12==7 ? 0-7 : 100+i%12
// run: -k falling -g 67 '[67]=i%9' '[67]'
// expect: 1: i%9==0 ? 1+10+100 : i%9==1 ? 10+100 : i%9==2 ? 100 : i%9==5 ? 7 : 1000+(i%9==3 ? 1 : 0)
// run: -k turns -g 67 '[67]=i' '[67]'
// expect: 1: sum(k,0,i%7<2 ? 20 : 21-i%7,(i+k)%7==1 ? 1 : (i+k)%7==2 ? k : (i+k)%7==3 ? 0 : (i+k)%7>4 ? i : 50)

// The default has code of its own; two cases have the same.
kernel void shared(global const int *in, global int *out) {
  int x = in[get_global_id(0)], y = 0;
  switch (x) {
  case 0: y = 10; break;
  default: y = 100 + x; break;
  case 1:
  case 4: y = 20; break;
  case 2: y = 30;
  case 3: y += 3; break;
  case 7: y = -x; break;
  }
  out[get_global_id(0)] = y;
}

// From case to case; the default falls into none.
kernel void falling(global const int *in, global int *out) {
  int x = in[get_global_id(0)], y = 0;
  switch (x) {
  case 0: y += 1;
  case 1: y += 10;
  case 2: y += 100; break;
  case 3: y = 1;
  default: y += 1000; break;
  case 5: y = 7; break;
  }
  out[get_global_id(0)] = y;
}

// In a loop that some lanes leave from a case.
kernel void turns(global const int *in, global int *out) {
  int x = in[get_global_id(0)], y = 0;
  for (int k = 0; k < 20; k++) {
    switch ((x + k) % 7) {
    case 0: if (k >= 20 - x % 7) goto done; y += 50; break;
    case 1: y += 1; break;
    case 2: y += k; break;
    case 3: continue;
    case 4: y += 50; break;
    default: y += x; break;
    }
  }
done:
  out[get_global_id(0)] = y;
}
