// Attributes of kernels, functions, types, variables and loops.
// run: -k sized -g 32,4 -l 8,2 '[128]'
// expect: 0: i%32%8 + 8*(floor(i/32)%2)
// run: -k hinted -g 16 '[16]=i'
// expect: 0: 2*i
// run: -k layout -g 1 '[64]'
// expect: 0: 0
// run: -k unrolled -g 8 '[8]' '[64]=i'
// expect: 0: sum(j,0,8,a1[8*i+j]*(j+1))
// run: -k functions -g 32 '[32]=i'
// expect: 0: (i+1)*3+(i+1)*(i+1)
// run: -k layout -g 1 '[64]' -b '-cl-std=CL3.0 -Werror'
// expect: 0: 0
// run: -k unrolled -g 8 '[8]' '[64]=i' -b '-cl-std=CL2.0'
// expect: 0: sum(j,0,8,a1[8*i+j]*(j+1))
#define CHECK(condition) out[k++] = (condition) ? 0 : __LINE__

kernel __attribute__((reqd_work_group_size(8, 2, 1))) void sized(global int *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * get_global_size(0) + x] = get_local_id(0) + get_local_size(0) * get_local_id(1);
}
kernel __attribute__((work_group_size_hint(4, 1, 1), vec_type_hint(float4))) void hinted(global int *out) {
  out[get_global_id(0)] *= 2;
}

struct loose {
  char a;
  int b;
  char c;
};
struct __attribute__((packed)) tight {
  char a;
  int b;
  char c;
  double d;
};
struct partly {
  char a;
  int b __attribute__((packed));
  short c __attribute__((aligned(8)));
};
struct __attribute__((aligned(64))) wide {
  char a;
};
typedef int quad_aligned __attribute__((aligned(16)));
struct __attribute__((packed)) tight_vectors {
  char a;
  float4 v;
  int3 w;
};
struct ends {
  int host __attribute__((endian(host)));
  int device __attribute__((endian(device)));
};

kernel void layout(global int *out) {
  int k = 0;
  CHECK(sizeof(struct loose) == 12 && sizeof(struct tight) == 14 && sizeof(struct wide) == 64);
  CHECK(sizeof(struct partly) == 16);
  CHECK(sizeof(struct tight_vectors) == 33);
  CHECK(__builtin_offsetof(struct partly, b) == 1 && __builtin_offsetof(struct partly, c) == 8);
  struct tight t = {1, 0x01020304, 2, 5.5};
  uchar *bytes = (uchar *)&t;
  CHECK(bytes[1] == 4 && bytes[4] == 1 && bytes[5] == 2);
  volatile int grow = 3;
  t.b += grow;
  t.d *= grow;
  CHECK(t.b == 0x01020307 && t.d == 16.5 && t.c == 2);
  struct tight_vectors v[3];
  for (int i = 0; i < 3; i++) {
    v[i].v = (float4)(i, i + 1, i + 2, i + 3);
    v[i].w = (int3)(i, -i, 7 * grow);
  }
  CHECK(v[1].v.w == 4 && v[2].w.z == 21 && v[2].v.x == 2);
  struct wide w[2];
  CHECK(((size_t)&w[1] & 63) == 0 && (size_t)&w[1] - (size_t)&w[0] == 64);
  quad_aligned q = 4;
  CHECK(((size_t)&q & 15) == 0 && q == 4);
  local int over __attribute__((aligned(256)));
  over = 5;
  CHECK(((size_t)&over & 255) == 0 && over == 5);
  struct ends e = {grow, 2};
  CHECK(e.host == 3 && e.device == 2);
}

kernel void unrolled(global int *out, global const int *in) {
  int sum = 0, i = get_global_id(0);
  __attribute__((opencl_unroll_hint)) for (int j = 0; j < 4; j++) sum += in[8 * i + j] * (j + 1);
  __attribute__((opencl_unroll_hint(2))) for (int j = 4; j < 6; j++) sum += in[8 * i + j] * (j + 1);
  int j = 6;
  __attribute__((opencl_unroll_hint(1))) while (j < 8) {
    sum += in[8 * i + j] * (j + 1);
    j++;
  }
  out[i] = sum;
}

__attribute__((noinline)) int triple(int x) { return 3 * x; }
__attribute__((always_inline)) int square(int x) { return x * x; }
inline int plus_one(int x) { return x + 1; }
static inline int same(int x) { return x; }
__attribute__((const, unused)) int pure(int x) { return x; }
kernel void functions(global int *restrict out) {
  int i = get_global_id(0), x __attribute__((unused)) = 0;
  out[i] = triple(plus_one(i)) + square(same(pure(plus_one(out[i]))));
}
