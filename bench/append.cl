// Stream append: the positions of what passes a filter go to a list whose end an atomic counter holds, in any order.
// Checked: how many there are, that every position in the list passes, and the sum of all positions.
// run: -k counter -g 1048576 -l 256 '[1048576]=rand(i)*8' '[1048576]' '[1]' --items g0 --name counter
// expect: 2: sum(k,0,1048576,a0[k]==3)
// expect: 1: i >= r2[0] || (a0[r1[i]]==3) ? r1[i] : nan
// expect: 1/1048576: r1[0]+sum(k,0,1048576,k<r2[0] ? r1[k] : 0)-sum(k,0,1048576,a0[k]==3 ? k : 0)
// run: -k grouped -g 1048576 -l 256 '[1048576]=rand(i)*8' '[1048576]' '[1]' --items g0 --name per_group
// expect: 2: sum(k,0,1048576,a0[k]==3)
// expect: 1: i >= r2[0] || (a0[r1[i]]==3) ? r1[i] : nan
// expect: 1/1048576: r1[0]+sum(k,0,1048576,k<r2[0] ? r1[k] : 0)-sum(k,0,1048576,a0[k]==3 ? k : 0)
kernel void counter(global const uchar *in, global uint *list, global uint *end) {
  uint i = get_global_id(0);
  if (in[i] == 3) list[atomic_inc(end)] = i;
}
/* one global atomic a group */
kernel void grouped(global const uchar *in, global uint *list, global uint *end) {
  local uint count, start;
  uint i = get_global_id(0), slot = 0;
  if (get_local_id(0) == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  bool pass = in[i] == 3;
  if (pass) slot = atomic_inc(&count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) start = atomic_add(end, count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (pass) list[start + slot] = i;
}
