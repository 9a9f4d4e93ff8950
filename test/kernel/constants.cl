// Program-scope constants: tables, structures, addresses of each other, and constants inside functions.
// run: -k lookup -g 64 '[64]'
// expect: 0: (i%16)*(i%16)+7
// run: -k checks -g 1 3 '[32]'
// expect: 1: 0
// run: -k checks -g 1 3 '[32]' -b '-cl-std=CL2.0'
// expect: 1: 0
// run: -k checks -g 1 3 '[32]' -b '-cl-std=CL3.0 -cl-opt-disable'
// expect: 1: 0
// run: -k arguments -g 16 '[16]=3*i' '[16]=i'
// expect: 1: 4*i
// run: -k inside -g 100 '[100]=7*i' '[100]' '[100]' '[100]'
// expect: 1: ((7*i)%16)*((7*i)%16)+(7*i)%3*10+(7*i)/4%3
// expect: 2: i%5==0 ? -1 : ((7*i)%8)*2
// expect: 3: ((7*i)%4)*(i%2 ? 1 : 100) + ((7*i)%4)*3
#define CHECK(condition) out[k++] = (condition) ? 0 : __LINE__

constant int squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
constant int seven = 7;
__constant float4 basis[2] = {(float4)(1, 2, 3, 4), (float4)(5.0f)};
struct entry {
  char name[4];
  int value;
  double weight;
};
constant struct entry entries[] = {{"one", 1, 0.5}, {{'t', 'w'}, 2, 0.25}, {.value = 3, .weight = -1}};
constant int *constant where = &squares[5];
constant struct entry *constant last = entries + 2;
constant char text[] = "text\n";
constant uchar bits[2][3] = {{1, 2, 4}, {8, 16, 32}};
const constant double half_of = 1.0 / 2;
constant uint count = sizeof(entries) / sizeof(entries[0]);
constant long3 three = (long3)(1, -2, 1L << 40);

kernel void lookup(global int *out) {
  size_t i = get_global_id(0);
  out[i] = squares[i % 16] + seven;
}

int from_constant(constant int *p, int i) { return p[i]; }
int length_of(constant char *p) {
  int n = 0;
  while (p[n] != 0) n++;
  return n;
}

kernel void checks(int i, global int *out) {
  constant int inner[4] = {5, 6, 7, 8}; /* allowed at the outermost level of a kernel */
  int k = 0;
  CHECK(squares[i] == 9 && from_constant(squares, i + 1) == 16 && from_constant(inner, i) == 8);
  CHECK(basis[i - 3].y == 2 && basis[i - 2].w == 5);
  CHECK(entries[i - 3].value == 1 && entries[i - 2].name[1] == 'w' && entries[i - 1].weight == -1);
  CHECK(entries[0].name[3] == 0 && entries[i - 1].name[0] == 0);
  CHECK(where[i - 3] == 25 && where[-i] == 4 && last->value == 3);
  CHECK(length_of(text) == 5 && length_of("literal") == 7 && "abc"[i - 1] == 'c');
  CHECK(bits[i - 2][2] == 32 && bits[0][i - 2] == 2 && half_of == 0.5 && count == 3);
  CHECK(three.z == 1L << 40 && three.y == -2);
  CHECK((constant void *)squares != (constant void *)entries && (size_t)basis % sizeof(float4) == 0);
}

kernel void arguments(constant int *a, global int *b) { b[get_global_id(0)] += a[get_global_id(0)]; }

/* Arrays of a function that only hold a constant lie where that does; others are each work-item's. */
__attribute__((noinline)) int take(const int *table, int i) { return table[i]; }
struct pair {
  short first;
  int second;
};
kernel void inside(global const int *in, global int *read, global int *changed, global int *chosen) {
  size_t i = get_global_id(0);
  int x = in[i];
  const int square[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
  const uchar grid[3][3] = {{0, 1, 2}, {10, 11, 12}, {20, 21, 22}};
  read[i] = square[x & 15] + grid[x % 3][x / 4 % 3];
  int doubles[8] = {0, 2, 4, 6, 8, 10, 12, 14};
  if (i % 5 == 0) doubles[x & 7] = -1;
  changed[i] = doubles[x & 7];
  const int ones[4] = {0, 1, 2, 3}, hundreds[4] = {0, 100, 200, 300};
  const int *table = i % 2 ? ones : hundreds;
  const struct pair pairs[4] = {{0, 0}, {1, 2}, {2, 4}, {3, 6}};
  const int given[4] = {0, 0, 0, 0};
  chosen[i] = table[x & 3] + pairs[x & 3].first + pairs[x & 3].second + take(given, x & 3);
}
