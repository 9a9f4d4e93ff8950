/* submit and help: ranges, copies, fills, native kernels and faults on the CPU driver. */
#include "support.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <xmmintrin.h>

static kiln_device *device;
static kiln_context *context;
static kiln_queue *queue;

static int set_up(void **state) {
  device = support_root();
  context = support_context();
  return kiln_queue_create(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &queue) == CL_SUCCESS
             ? 0
             : -1;
}

static int tear_down(void **state) {
  kiln_unref(&queue);
  kiln_unref(&context);
  kiln_unref(&device);
  return 0;
}

static struct kiln_code *wrap(kiln_group_fn *function) {
  struct kiln_code *code = NULL;
  assert_int_equal(kiln_code_wrap(function, "test", &code), CL_SUCCESS);
  return code;
}

static void unwrap(struct kiln_code *code) { kiln_code_unload(device->backend, code); }

/* ---- ranges ---- */

struct marks {
  uint64_t groups;
  uint8_t *count; /* how often each group ran */
};

static void mark_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                        uint64_t last) {
  struct marks *marks = support_args(launch);
  memset(worker->local, 1, 64);
  memset(worker->arena, 1, 4096);
  for (uint64_t g = first; g < last; g++) __atomic_fetch_add(&marks->count[g], 1, __ATOMIC_RELAXED);
}

static void every_group_runs_once(void **state) {
  struct kiln_code *code = wrap(mark_groups);
  for (uint64_t groups = 1; groups < 300000; groups = groups * 3 + 1) {
    struct marks marks = {groups, calloc(groups, 1)};
    for (int round = 0; round < 3; round++) {
      memset(marks.count, 0, groups);
      assert_int_equal(support_range(queue, code, groups, &marks, 0, NULL, NULL), CL_SUCCESS);
      kiln_queue_finish(queue);
      for (uint64_t g = 0; g < groups; g++) assert_int_equal(marks.count[g], 1);
    }
    free(marks.count);
  }
  unwrap(code);
}

/* Ends of the calls that did not fill their vectors, the last one's left out. */
static atomic_uint short_calls;
static void count_short(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                        uint64_t last) {
  if ((last - first) % 16 != 0 && last != launch->num_groups[0]) atomic_fetch_add(&short_calls, 1);
  for (uint64_t end = kiln_os_now_ns() + 5000 * (last - first); kiln_os_now_ns() < end;) kiln_os_pause();
}

static void groups_that_run_as_one_are_taken_together(void **state) {
  struct kiln_code *code = wrap(count_short);
  for (uint32_t lanes = 1; lanes <= 16; lanes *= 16) {
    code->lanes = lanes;
    atomic_store(&short_calls, 0);
    for (int round = 0; round < 3; round++) { /* what groups take is known from the first one on */
      assert_int_equal(support_range(queue, code, 1000, NULL, 0, NULL, NULL), CL_SUCCESS);
      kiln_queue_finish(queue);
    }
    assert_true((lanes == 1) == (short_calls > 0));
  }
  unwrap(code);
}

static void empty_range_completes(void **state) {
  struct kiln_code *code = wrap(mark_groups);
  cl_event event = NULL;
  assert_int_equal(support_range(queue, code, 0, NULL, 0, NULL, &event), CL_SUCCESS);
  assert_int_equal(kiln_events_wait(1, &event), CL_SUCCESS);
  support_release(event);
  unwrap(code);
}

static atomic_int ends;
static void count_end(kiln_cmd *cmd) { atomic_fetch_add(&ends, 1); }

/* A thread may take the last place in work while the others leave it: it ends once all the same. */
static void work_ends_once(void **state) {
  enum { ROUNDS = 20000, WIDTH = 64 << 10, ROW = WIDTH + 64, ROWS = 16 }; /* four rows a chunk */
  uint8_t *src = calloc(ROWS, ROW), *dst = calloc(ROWS, ROW);
  atomic_store(&ends, 0);
  for (size_t i = 0; i < ROUNDS; i++) {
    kiln_cmd *cmd = NULL;
    assert_int_equal(kiln_cmd_create(queue, CL_COMMAND_COPY_BUFFER, &cmd), CL_SUCCESS);
    cmd->finish = count_end;
    cmd->work.type = KILN_WORK_COPY;
    cmd->work.copy = (struct kiln_copy){.src = src,
                                        .dst = dst,
                                        .width = WIDTH,
                                        .height = 5 + i % (ROWS - 4),
                                        .depth = 1,
                                        .src_row = ROW,
                                        .dst_row = ROW};
    assert_int_equal(kiln_cmd_enqueue(cmd, 0, NULL, NULL, true), CL_SUCCESS);
  }
  kiln_queue_finish(queue);
  assert_int_equal(ends, ROUNDS);
  free(src);
  free(dst);
}

/* ---- copies and fills ---- */

static cl_int enqueue_work(kiln_queue *q, const struct kiln_work *work, cl_event *event_out) {
  kiln_cmd *cmd = NULL;
  cl_int err = kiln_cmd_create(q, CL_COMMAND_COPY_BUFFER, &cmd);
  if (err != CL_SUCCESS) return err;
  cmd->work.type = work->type;
  if (work->type == KILN_WORK_COPY) cmd->work.copy = work->copy;
  else cmd->work.fill = work->fill;
  return kiln_cmd_enqueue(cmd, 0, NULL, event_out, event_out == NULL);
}

static void copies_of_any_size(void **state) {
  size_t most = 9 << 20;
  uint8_t *src = malloc(most), *dst = malloc(most + 1);
  for (size_t i = 0; i < most; i++) src[i] = (uint8_t)(i * 7 + (i >> 11));
  static const size_t sizes[] = {0,      1, 4096, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (3 << 20) + 12345,
                                 9 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    memset(dst, 0, most + 1);
    struct kiln_work work = {.type = KILN_WORK_COPY,
                             .copy = {.src = src, .dst = dst, .width = sizes[i], .height = 1, .depth = 1}};
    assert_int_equal(enqueue_work(queue, &work, NULL), CL_SUCCESS);
    assert_memory_equal(src, dst, sizes[i]);
    assert_int_equal(dst[sizes[i]], 0);
  }
  free(src);
  free(dst);
}

static void rect_copies(void **state) {
  enum { W = 100, H = 300, D = 70, SRC_ROW = 130, DST_ROW = 160 };
  size_t src_slice = SRC_ROW * (H + 3), dst_slice = DST_ROW * (H + 5);
  uint8_t *src = malloc(src_slice * D), *dst = calloc(dst_slice, D);
  for (size_t i = 0; i < src_slice * D; i++) src[i] = (uint8_t)(1 + i % 251);
  struct kiln_work work = {.type = KILN_WORK_COPY,
                           .copy = {src, dst, W, H, D, SRC_ROW, src_slice, DST_ROW, dst_slice}};
  assert_int_equal(enqueue_work(queue, &work, NULL), CL_SUCCESS);
  for (size_t z = 0; z < D; z++)
    for (size_t y = 0; y < H + 5; y++)
      for (size_t x = 0; x < DST_ROW; x++) {
        uint8_t expected = x < W && y < H ? src[z * src_slice + y * SRC_ROW + x] : 0;
        if (dst[z * dst_slice + y * DST_ROW + x] != expected) fail();
      }
  free(src);
  free(dst);
}

static void fills_repeat_the_pattern(void **state) {
  size_t most = 3 << 20;
  uint8_t *dst = malloc(most + 128);
  for (size_t pattern = 1; pattern <= 128; pattern *= 2) {
    static const size_t counts[] = {1, 2, 3, 33, 1000, 12345};
    for (size_t i = 0; i <= sizeof counts / sizeof *counts; i++) {
      size_t size = i == sizeof counts / sizeof *counts ? most : counts[i] * pattern;
      struct kiln_work work = {
          .type = KILN_WORK_FILL,
          .fill = {.dst = dst, .width = size, .height = 1, .depth = 1, .pattern_size = pattern}};
      for (size_t b = 0; b < pattern; b++) work.fill.pattern[b] = (uint8_t)(b * 3 + 1);
      memset(dst, 0xee, size + 128);
      assert_int_equal(enqueue_work(queue, &work, NULL), CL_SUCCESS);
      for (size_t b = 0; b < size; b++)
        if (dst[b] != (uint8_t)(b % pattern * 3 + 1)) fail();
      assert_int_equal(dst[size], 0xee);
    }
  }
  free(dst);
}

/* The pattern starts anew in each row, and nothing between rows and slices is touched. */
static void rect_fills(void **state) {
  enum { W = 96, H = 500, D = 30, ROW = 111 };
  size_t slice = ROW * (H + 3);
  uint8_t *dst = calloc(slice, D);
  struct kiln_work work = {
      .type = KILN_WORK_FILL,
      .fill = {dst, W, H, D, ROW, slice, .pattern = "sixteen letters!", .pattern_size = 16}};
  assert_int_equal(enqueue_work(queue, &work, NULL), CL_SUCCESS);
  for (size_t i = 0; i < slice * D; i++) {
    size_t y = i % slice / ROW, x = i % slice % ROW;
    if (dst[i] != (x < W && y < H ? work.fill.pattern[x % 16] : 0)) fail();
  }
  free(dst);
}

/* ---- native kernels ---- */

static void CL_CALLBACK set_flag(void *args) { *(volatile int *)args = 1; }

static void native_kernel_runs(void **state) {
  int flag = 0;
  cl_event event = NULL;
  assert_int_equal(support_native(queue, set_flag, &flag, 0, NULL, &event), CL_SUCCESS);
  assert_int_equal(kiln_events_wait(1, &event), CL_SUCCESS);
  assert_int_equal(flag, 1);
  support_release(event);
}

/* ---- faults ---- */

static void fault_in_one_group(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                               uint64_t last) {
  volatile int *bad = support_args(launch);
  for (uint64_t g = first; g < last; g++)
    if (g == 17) *bad = 1;
}

static void divide_by_zero(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                           uint64_t last) {
  __asm__ volatile("xorl %%ecx, %%ecx\n movl $1, %%eax\n cltd\n idivl %%ecx" ::: "eax", "ecx", "edx", "cc");
}

static void bad_instruction(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                            uint64_t last) {
  __asm__ volatile("ud2");
}

/* Pushes until the stack ends. */
static void overflow_stack(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                           uint64_t last) {
  __asm__ volatile("1: push $0\n jmp 1b" ::: "memory");
}

/* Runs code that faults, by a worker or with this thread's help; what is said of it. */
static void expect_fault(kiln_group_fn *function, void *args, const char *text, bool help) {
  struct kiln_code *code = wrap(function);
  for (int round = 0; round < 50; round++) {
    cl_event event = NULL;
    assert_int_equal(support_range(queue, code, 64, args, 0, NULL, &event), CL_SUCCESS);
    while (!help && event->status > CL_COMPLETE) support_sleep_ms(1);
    assert_int_equal(kiln_events_wait(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(event->status, CL_OUT_OF_RESOURCES);
    assert_non_null(strstr(event->work.fault_message, text));
    support_release(event);
  }
  unwrap(code);
}

static void faults_end_the_command(void **state) {
  support_faults();
  for (int help = 0; help < 2; help++) {
    expect_fault(fault_in_one_group, (void *)16,
                 "kernel test was ended by SIGSEGV (invalid memory access) at address 0x10", help);
    expect_fault(divide_by_zero, NULL, "SIGFPE", help);
    expect_fault(bad_instruction, NULL, "SIGILL", help);
    expect_fault(overflow_stack, NULL, "SIGSEGV", help);
  }
  every_group_runs_once(state); /* the pool is whole */
}

/* A helper with hardly a stack of its own, and usually no alternate one, survives too; afterwards it has what
 * it had. */
static void *help_from_small_stack(void *ok) {
  stack_t before, after;
  *(bool *)ok = sigaltstack(NULL, &before) == 0;
  expect_fault(overflow_stack, NULL, "SIGSEGV", true);
  *(bool *)ok = *(bool *)ok && sigaltstack(NULL, &after) == 0 && after.ss_flags == before.ss_flags &&
                after.ss_sp == before.ss_sp;
  return NULL;
}

static void small_stacks_suffice(void **state) {
  support_faults();
  pthread_attr_t attributes;
  pthread_t thread;
  bool ok = false;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 << 10);
  assert_int_equal(pthread_create(&thread, &attributes, help_from_small_stack, &ok), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  assert_true(ok);
}

static void copy_from_nowhere_fails(void **state) {
  support_faults();
  uint8_t to[64];
  struct kiln_work work = {.type = KILN_WORK_COPY,
                           .copy = {.src = (uint8_t *)64, .dst = to, .width = 64, .height = 1, .depth = 1}};
  assert_int_equal(enqueue_work(queue, &work, NULL), CL_OUT_OF_RESOURCES);
}

/* The host's own handler still gets the host's own faults, and signals that somebody sent. */
static sigjmp_buf host_jump;
static volatile int host_signal;
static void host_handler(int number) {
  host_signal = number;
  siglongjmp(host_jump, 1);
}

static void host_faults_go_to_the_host(void **state) {
  support_faults();
  struct sigaction before;
  if (sigsetjmp(host_jump, 1) == 0) support_crash();
  assert_int_equal(host_signal, SIGSEGV);
  sigaction(SIGSEGV, NULL, &before);
  assert_true(before.sa_flags & SA_SIGINFO); /* ours is still in place */
  host_signal = 0;
  if (sigsetjmp(host_jump, 1) == 0) raise(SIGFPE);
  assert_int_equal(host_signal, SIGFPE);
}

/* ---- floating point ---- */

struct fpu {
  atomic_uint word;
};

static void read_fpu(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                     uint64_t last) {
  struct fpu *fpu = support_args(launch);
  atomic_store(&fpu->word, _mm_getcsr() & 0xffc0u);
  _mm_setcsr(0x1f80u | 0x6000u); /* a kernel that leaves its own rounding behind */
}

static void rounding_is_the_kernels_own(void **state) {
  struct kiln_code *code = wrap(read_fpu);
  uint32_t host = 0x1f80u | 0x2000u | 0x8000u; /* round down, flush */
  _mm_setcsr(host);
  for (int i = 0; i < 1000; i++) {
    struct fpu fpu = {0};
    support_range(queue, code, 1, &fpu, 0, NULL, NULL);
    kiln_queue_finish(queue);
    if (fpu.word != 0x1f80u || (_mm_getcsr() & 0xffc0u) != host) {
      _mm_setcsr(0x1f80u);
      fail_msg("kernel saw %x, host was left with %x", fpu.word, _mm_getcsr());
    }
  }
  _mm_setcsr(0x1f80u);
  unwrap(code);
}

/* ---- limits ---- */

static void too_much_local_memory(void **state) {
  struct kiln_code *code = wrap(mark_groups);
  kiln_cmd *cmd = NULL;
  assert_int_equal(kiln_cmd_create(queue, CL_COMMAND_NDRANGE_KERNEL, &cmd), CL_SUCCESS);
  cmd->work.type = KILN_WORK_RANGE;
  cmd->work.range = (struct kiln_range){
      .code = code, .total_groups = 1, .local_bytes = device->backend->caps.local_mem_bytes + 1};
  assert_int_equal(kiln_cmd_enqueue(cmd, 0, NULL, NULL, true), CL_OUT_OF_RESOURCES);
  unwrap(code);
}

int main(void) {
  signal(SIGSEGV, host_handler);
  signal(SIGFPE, host_handler);
  support_faults();
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_group_runs_once),
                                     cmocka_unit_test(groups_that_run_as_one_are_taken_together),
                                     cmocka_unit_test(empty_range_completes),
                                     cmocka_unit_test(work_ends_once),
                                     cmocka_unit_test(copies_of_any_size),
                                     cmocka_unit_test(rect_copies),
                                     cmocka_unit_test(fills_repeat_the_pattern),
                                     cmocka_unit_test(rect_fills),
                                     cmocka_unit_test(native_kernel_runs),
                                     cmocka_unit_test(faults_end_the_command),
                                     cmocka_unit_test(small_stacks_suffice),
                                     cmocka_unit_test(copy_from_nowhere_fails),
                                     cmocka_unit_test(host_faults_go_to_the_host),
                                     cmocka_unit_test(rounding_is_the_kernels_own),
                                     cmocka_unit_test(too_much_local_memory)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
