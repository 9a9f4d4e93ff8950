// Each turn looks up where the next one looks: a list of places, and characters of one to four bytes.
// run: -k last -g 1000 '[1000]' '[1000]=i<13 ? i : i-13'
// expect: 0: i%13
kernel void last(global int *out, global const int *next) {
  int i = get_global_id(0), at = i;
  while (next[at] != at) at = next[at];
  out[i] = at;
}

// run: -k characters -g 1000 '[1000]' '(uchar)[12100]=i%12<3 ? 65 : i%12<6 ? 200 : 230' 12
// expect: 0: 7
kernel void characters(global int *out, global const uchar *text, int n) {
  int i = get_global_id(0), at = i * n, end = at + n, count = 0;
  while (at < end) {
    uchar first = text[at];
    at += first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    count++;
  }
  out[i] = count;
}

// Signed numbers that are tried one after the other, until one divides: most lanes would wait for the one that none does.
// run: -k divisors -g 1000 '[1000]' 100001
// expect: 0: loop(1000, d=3:d*d>100001+2*i || (100001+2*i)%d==0 ? d : d+2, d*d>100001+2*i)
kernel void divisors(global int *prime, int base) {
  int i = get_global_id(0), number = base + 2 * i, found = 1;
  for (int d = 3; d * d <= number; d += 2)
    if (number % d == 0) {
      found = 0;
      break;
    }
  prime[i] = found;
}
