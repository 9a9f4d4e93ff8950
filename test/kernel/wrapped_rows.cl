// Rows of memory that go on somewhere else within a vector, under masks: the index is a quotient and a remainder.

// run: -k parts -g 1003 '[60000]=i' '[1003]=7' 17 4 3
// expect: 1: int(i/17)%5==4 ? i : int(i/17)%5==3 ? int(i/17)*51+i%17+2000 : 2*i+3000
// run: -k parts -g 1000 -l 50 '[60000]=i' '[1000]=7' 100 4 3
// expect: 1: int(i/100)%5==4 ? i : int(i/100)%5==3 ? int(i/100)*300+i%100+2000 : 2*i+3000
kernel void parts(global const int *in, global int *out, int width, int last, int times) {
  int i = get_global_id(0);
  int column = i % width, row = i / width, at = row * width + column, left = last + 1 - row % 5, r;
  if (left >= 3)
    r = in[at + 1000] + in[at + 2000];
  else if (left == 2)
    r = in[row * width * times + column + 2000];
  else
    r = in[at];
  out[i] = r;
}

// Divisors of lanes that are off are not divided by.
// run: -k divisors -g 1003 '[1003]=i % 7' '[5000]=i' '[1003]=0' 13
// expect: 2: i%7==0 ? 0 : int(i/max(i%7,1))%13 + 3*(i%7)
kernel void divisors(global const int *by, global const int *in, global int *out, int width) {
  int i = get_global_id(0);
  if (by[i] != 0) out[i] = in[(i / by[i]) % width + 3 * by[i]];
}
