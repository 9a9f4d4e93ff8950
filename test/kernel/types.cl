// Sizes, alignments and representation of the types; enumerations, unions, structures, bool and half storage.
// run: -k sizes -g 1 '[64]'
// expect: 0: 0
// run: -k aggregates -g 1 5 '[64]'
// expect: 1: 0
// run: -k aggregates -g 1 5 '[64]' -b '-cl-opt-disable'
// expect: 1: 0
// run: -k booleans -g 16 '[16]=i-8' '[16]'
// expect: 1: i==8 ? 28 : i<8 ? 63 : 31
// run: -k halves -g 64 '[64]=i*0.25-3' '[64]'
// expect: 1: 2*a0[i]
// run: -k sizes -g 1 '[64]' -b '-cl-std=CL3.0'
// expect: 0: 0
#define CHECK(condition) out[k++] = (condition) ? 0 : __LINE__
#define SIZES(T, n) \
  CHECK(sizeof(T) == n && sizeof(T##2) == 2 * n && sizeof(T##3) == 4 * n && sizeof(T##4) == 4 * n && \
        sizeof(T##8) == 8 * n && sizeof(T##16) == 16 * n && __alignof__(T) == n && __alignof__(T##2) == 2 * n && \
        __alignof__(T##3) == 4 * n && __alignof__(T##4) == 4 * n && __alignof__(T##8) == 8 * n && \
        __alignof__(T##16) == 16 * n)

kernel void sizes(global int *out) {
  int k = 0;
  SIZES(char, 1);
  SIZES(uchar, 1);
  SIZES(short, 2);
  SIZES(ushort, 2);
  SIZES(int, 4);
  SIZES(uint, 4);
  SIZES(long, 8);
  SIZES(ulong, 8);
  SIZES(float, 4);
  SIZES(double, 8);
  CHECK(sizeof(half) == 2 && sizeof(bool) == 1 && sizeof(size_t) == 8 && sizeof(ptrdiff_t) == 8);
  CHECK(sizeof(intptr_t) == 8 && sizeof(uintptr_t) == 8 && sizeof(void *) == 8 && sizeof(global int *) == 8);
  CHECK(sizeof(local int *) == 8 && sizeof(constant int *) == 8);
  CHECK(sizeof(unsigned char) == 1 && sizeof(unsigned long) == 8 && sizeof(unsigned) == 4);
  CHECK(sizeof('a') == 4 && sizeof(1.0f) == 4 && sizeof(1L) == 8 && sizeof(1UL) == 8 && sizeof(1 == 1) == 4);
  CHECK(sizeof("abc") == 4 && vec_step(int) == 1 && vec_step(char3) == 4 && vec_step(double16) == 16);
  CHECK((char)200 < 0 && (size_t)-1 > 0 && (uchar)300 == 44);
  uchar2 pair = (uchar2)(0x34, 0x12);
  CHECK(as_ushort(pair) == 0x1234 && as_int(1.0f) == 0x3f800000 && as_float(0x40000000) == 2.0f);
  CHECK(as_long(1.0) == 0x3ff0000000000000L && as_uchar4(0x04030201).s3 == 4);
  CHECK(as_short8((int4)(1, 2, 3, 4)).s2 == 2 && as_float3((int4)(0, 0, 0x3f800000, 9)).z == 1.0f);
  CHECK(as_char4((char3)(1, 2, 3)).z == 3 && as_ulong2((uint4)(1, 2, 3, 4)).y == 0x400000003UL);
}

enum color { RED, GREEN = 5, BLUE };
typedef enum { LOW = -1, HIGH = 1 } level;
union bits {
  float f;
  uint u;
  uchar bytes[4];
  ushort2 halves;
};
struct point {
  float x, y;
};
struct nested {
  char tag;
  struct point p[2];
  union {
    int number;
    float real;
  };
  struct {
    int inner;
    double3 far;
  } sub;
  enum color c;
};
typedef struct node {
  int value;
  struct node *next;
} node;

struct point moved(struct point p, float by) {
  p.x += by;
  p.y -= by;
  return p;
}
struct nested made(int n) {
  struct nested s = {.tag = 'x', .p = {{n, 1}, {2, n}}, .c = BLUE};
  s.number = n * 3;
  s.sub.far = (double3)(n, n + 1, n + 2);
  s.sub.inner = -n;
  return s;
}
int total(const struct nested *s) { return s->p[0].x + s->p[1].y + s->number + (int)s->sub.far.z + s->sub.inner; }

kernel void aggregates(int n, global int *out) {
  int k = 0;
  union bits b;
  b.f = n - 4;
  CHECK(b.u == 0x3f800000 && b.bytes[3] == 0x3f && b.halves.y == 0x3f80);
  b.bytes[3] = 0x40;
  b.halves.x = 0;
  CHECK(b.f == as_float(0x40800000));
  enum color c = n == 5 ? GREEN : RED;
  level l = n > 3 ? LOW : HIGH;
  CHECK(c == 5 && c + 1 == BLUE && l < 0 && sizeof(c) == 4);
  struct nested s = made(n), t;
  t = s;
  t.p[n - 4] = moved(t.p[n - 5], 2.0f);
  CHECK(total(&s) == 5 + 5 + 15 + 7 - 5 && t.p[1].x == 7 && t.p[1].y == -1 && s.p[1].y == 5);
  CHECK(s.tag == 'x' && t.sub.far.y == 6 && t.c == BLUE && sizeof(struct nested) % 32 == 0);
  CHECK(((size_t)&s.sub.far & 31) == 0);
  struct nested many[3];
  for (int i = 0; i < 3; i++) many[i] = made(n + i);
  CHECK(total(&many[n - 3]) == 7 + 7 + 21 + 9 - 7);
  node first = {1, 0}, second = {2, &first}, third = {3, &second};
  int sum = 0;
  for (node *p = &third; p != 0; p = p->next) sum = sum * 10 + p->value;
  CHECK(sum == 321);
  struct {
    int a, b;
  } pair = {n, n * 2}, *at = &pair;
  at->a ^= at->b;
  CHECK(pair.a == (5 ^ 10));
  int list[] = {[2] = 7, [0] = n}, grid[2][3] = {{1, 2}, {n}};
  CHECK(list[1] == 0 && list[2] == 7 && sizeof(list) == 12 && grid[0][2] == 0 && grid[1][n - 5] == 5);
  CHECK((((struct point){n, 2}).x == 5 && (int[]){1, 2, n}[2] == 5));
}

bool is_zero(int x) { return !x; }
kernel void booleans(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  bool a = x, b = x < 0, c = (bool)(x * 256), none = false;
  bool flags[2] = {a && !none, b || none};
  out[i] = a + 2 * flags[0] + 4 * (c == a) + 8 * (is_zero(x) != a) + 16 * true + 32 * flags[1];
}

kernel void halves(global const half *in, global half *out) {
  size_t i = get_global_id(0);
  vstore_half(vload_half(i, in) * 2, i, out);
}
