// Program-scope variables: initial values of every kind, addresses in them, and values kept from launch to launch.
// run: -b -cl-std=CL3.0 -g 1 -k initial '[16]' --name 'initial values'
// expect: 0: 1
struct part { char c; short3 v; double d; };
global int zero, seven = 7, table[5] = {1, 2, 3};
global float4 vector = (float4)(1, 2, 3, 4);
global struct part whole[2] = {{'a', (short3)(1, -2, 3), 0.5}, {'b', (short3)(4, 5, 6), -2}};
global bool flag = true;
global uchar bytes[3] = {200, 201, 202};
constant int fixed[4] = {10, 20, 30, 40};
global int *global to_table = &table[2];
constant int *global to_fixed = fixed + 3;
global struct part *constant to_part = &whole[1];
global int *global *global to_pointer = &to_table;
global ulong far = 1ul << 40;
global int *global nothing = 0;
static global int hidden = 5;
kernel void initial(global int *good) {
  static global int own = 21;
  good[0] = zero == 0 && seven == 7 && table[0] == 1 && table[2] == 3 && table[4] == 0;
  good[1] = all(vector == (float4)(1, 2, 3, 4)) && whole[0].c == 'a' && whole[0].d == 0.5 && whole[1].v.s2 == 6;
  good[2] = flag && bytes[2] == 202 && own == 21 && hidden == 5 && far == 1ul << 40;
  good[3] = *to_table == 3 && *to_fixed == 40 && to_fixed[-1] == fixed[2];
  good[4] = to_part->v.s1 == 5 && **to_pointer == 3 && *to_pointer == table + 2 && nothing == 0;
  good[5] = to_fixed == fixed + 3 && to_part == whole + 1;
  int *anywhere = &seven;
  good[6] = *anywhere == 7 && to_global(anywhere) == &seven && get_fence(anywhere) == CLK_GLOBAL_MEM_FENCE;
  for (int i = 7; i < 16; i++) good[i] = 1;
}

// run: -b -cl-std=CL3.0 -g 1000 -l 100 -k counts -n 3 '[1000]' --name 'shared by groups and launches'
// expect: 0: 1
global atomic_int counter = 500;
global int seen[4000];
kernel void counts(global int *good) {
  int n = atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed, memory_scope_device) - 500;
  good[get_global_id(0)] = n >= 0 && seen[n % 4000]++ == 0;
}

// Constants that are copied into a private array.
// run: -b -cl-std=CL3.0 -g 8 -k copied '[8]' --name 'constants copied'
// expect: 0: 2*i+5.5
kernel void copied(global double *out) {
  double list[40] = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5};
  const double *any = list;
  double2 pair = vload2(2, any);
  list[get_global_id(0)] = pair.s0;
  out[get_global_id(0)] = list[get_global_id(0)] + 1 + 2 * get_global_id(0);
}
