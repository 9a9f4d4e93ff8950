/* The two-level cache: what it keeps, what it notices, how it fails. */
#include "api/fake_compiler.h"

#include "core/cache.h"
#include "core/kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char source[] = "kernel void k() {}\n";

/* Builds and runs as another process would: nothing is left but the cache. */
static void use(const struct fixture *f, const char *text, const char *options) {
  cl_program program = fake_build(f, text, options);
  cl_kernel kernel = fake_kernel_of(program, "k");
  unsigned before = fake_num_launches;
  fake_run(f, kernel, 64, 16);
  assert_int_equal(fake_num_launches, before + 1);
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

static void expect_made(int compiles, int codegens) {
  fake_expect_count(fake.compiles, compiles);
  fake_expect_count(fake.codegens, codegens);
}

static void a_second_run_compiles_nothing(void **state) {
  use(*state, source, NULL);
  expect_made(1, 1);
  use(*state, source, NULL);
  expect_made(1, 1);
}

static void every_part_of_the_key_matters(void **state) {
  struct fixture *f = *state;
  struct kiln_target *target = &f->device->backend->caps.target;
  use(f, source, NULL);
  use(f, source, "-D X");
  expect_made(2, 2);
  use(f, "kernel void k() {;}\n", NULL);
  expect_made(3, 3);
  const char *features = target->features;
  fake_drain(); /* the compile thread reads it */
  target->features = "+another";
  use(f, source, NULL);
  expect_made(4, 4); /* on which the size of sub-groups and FP_FAST_FMA depend */
  target->features = features;
  const char *macros = target->feature_macros;
  fake_drain(); /* the compile thread reads it */
  target->feature_macros = "__opencl_c_another";
  use(f, source, NULL);
  fake_expect_count(fake.compiles, 5);
  target->feature_macros = macros;
  use(f, source, NULL);
  fake_expect_count(fake.compiles, 5);
}

static void embedded_headers_are_part_of_the_key(void **state) {
  struct fixture *f = *state;
  const char *name = "h.h";
  const char *texts[] = {"int a;", "int b;", "int a;"};
  for (int i = 0; i < 3; i++) {
    cl_program program = fake_source(f, source), header = fake_source(f, texts[i]);
    expect_success(kiln_clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
    expect_success(kiln_clReleaseProgram(header));
    expect_success(kiln_clReleaseProgram(program));
  }
  fake_expect_count(fake.compiles, 2);
}

static void write_text(const char *path, const char *text) {
  assert_true(kiln_os_publish_file(path, text, strlen(text)));
}

static void included_files_are_looked_at_again(void **state) {
  struct fixture *f = *state;
  char path[100], text[200];
  snprintf(path, sizeof path, "/tmp/kiln-test-%d.h", (int)getpid());
  snprintf(text, sizeof text, "#include \"%s\"\nkernel void k() {}\n", path);
  use(f, text, NULL); /* probed and absent */
  use(f, text, NULL);
  expect_made(1, 1);
  write_text(path, "int one;");
  use(f, text, NULL);
  fake_expect_count(fake.compiles, 2);
  use(f, text, NULL);
  fake_expect_count(fake.compiles, 2);
  write_text(path, "int two;");
  use(f, text, NULL);
  fake_expect_count(fake.compiles, 3);
  unlink(path);
  use(f, text, NULL);
  fake_expect_count(fake.compiles, 4);
}

static void what_asks_for_the_time_is_not_kept(void **state) {
  use(*state, "kernel void k() {__TIME__}\n", NULL);
  use(*state, "kernel void k() {__TIME__}\n", NULL);
  fake_expect_count(fake.compiles, 2);
}

static void warnings_are_kept(void **state) {
  struct fixture *f = *state;
  for (int i = 0; i < 2; i++) {
    char log[100];
    cl_program program = fake_build(f, "#warning\nkernel void k() {}\n", NULL);
    expect_success(
        kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_non_null(strstr(log, "warning: as told"));
    expect_success(kiln_clReleaseProgram(program));
  }
  fake_expect_count(fake.compiles, 1);
}

static void failures_are_not_kept(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_source(f, "#error\n");
  for (int i = 0; i < 2; i++)
    assert_int_equal(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  fake_expect_count(fake.compiles, 2);
  expect_success(kiln_clReleaseProgram(program));
}

/* ---- the files ---- */

typedef void visit_fn(const char *path, void *data);

static void visit_files(visit_fn *visit, void *data) {
  for (int shard = 0; shard < 256; shard++) {
    char folder[100], path[400];
    snprintf(folder, sizeof folder, "%s/%02x", fake_cache_folder(), shard);
    DIR *dir = opendir(folder);
    if (dir == NULL) continue;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      visit(path, data);
    }
    closedir(dir);
  }
}

static void add_size(const char *path, void *data) {
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  *(uint64_t *)data += (uint64_t)st.st_size;
}

static uint64_t cache_bytes(void) {
  uint64_t bytes = 0;
  visit_files(add_size, &bytes);
  return bytes;
}

struct damage {
  size_t at; /* position from which the file is cut, or where a bit is flipped */
  bool flip;
};

static void harm(const char *path, void *data) {
  const struct damage *d = data;
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  if (d->at >= (size_t)st.st_size) return;
  if (!d->flip) {
    assert_int_equal(truncate(path, (off_t)d->at), 0);
    return;
  }
  int fd = open(path, O_RDWR);
  uint8_t byte;
  assert_int_equal(pread(fd, &byte, 1, (off_t)d->at), 1);
  byte ^= 1;
  assert_int_equal(pwrite(fd, &byte, 1, (off_t)d->at), 1);
  close(fd);
}

static void damaged_files_are_misses(void **state) {
  struct fixture *f = *state;
  use(f, source, NULL);
  uint64_t bytes = cache_bytes();
  for (size_t at = 0; at < bytes; at += alloc_fail_active() ? 151 : 1) {
    for (int flip = 0; flip < 2; flip++) {
      struct damage d = {at, flip != 0};
      uint64_t before = cache_bytes();
      int compiles = fake.compiles;
      visit_files(harm, &d);
      use(f, source, NULL);
      if (at < 64) fake_expect_count(fake.compiles, compiles + 1);       /* the header of every file */
      if (!alloc_fail_active()) assert_int_equal(cache_bytes(), before); /* mended */
    }
  }
}

static void files_that_others_could_write_are_not_run(void **state) {
  struct fixture *f = *state;
  use(f, source, NULL);
  char command[100];
  snprintf(command, sizeof command, "chmod -R o+w %s", fake_cache_folder());
  assert_int_equal(system(command), 0);
  use(f, source, NULL);
  expect_made(2, 2);
}

static void without_a_folder_memory_serves(void **state) {
  static const char *const folders[] = {"", "/proc/none", "/dev/null/kiln"};
  for (int i = 0; i < 3; i++) {
    kiln_cache_forget();
    fake_reset();
    setenv("KILN_CACHE_DIR", folders[i], 1);
    use(*state, source, NULL);
    use(*state, source, NULL);
    expect_made(1, 1);
    kiln_cache_forget();
    use(*state, source, NULL);
    expect_made(2, 2);
  }
  kiln_cache_forget();
}

static void the_folder_follows_the_environment(void **state) {
  char folder[300], *home = getenv("HOME") == NULL ? NULL : strdup(getenv("HOME"));
  unsetenv("KILN_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/x/y", 1);
  assert_true(kiln_disk_folder(folder, sizeof folder));
  assert_string_equal(folder, "/x/y/kiln");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/home/me", 1);
  assert_true(kiln_disk_folder(folder, sizeof folder));
  assert_string_equal(folder, "/home/me/.cache/kiln");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  assert_false(kiln_disk_folder(folder, sizeof folder));
  setenv("KILN_CACHE_DIR", "/a/b/", 1);
  assert_true(kiln_disk_folder(folder, sizeof folder));
  assert_string_equal(folder, "/a/b");
  if (home != NULL) setenv("HOME", home, 1);
  free(home);
}

/* ---- size ---- */

static void put(unsigned n, size_t size) {
  static uint8_t bytes[4096];
  struct kiln_key key = {{(uint64_t)n * 0x9e3779b97f4a7c15u, n}};
  memset(bytes, (int)n, size);
  kiln_cache_put(KILN_CACHE_OBJECT, &key, bytes, size);
}

static bool has(unsigned n) {
  struct kiln_key key = {{(uint64_t)n * 0x9e3779b97f4a7c15u, n}};
  uint8_t *data = NULL;
  size_t size;
  bool found = kiln_cache_get(KILN_CACHE_OBJECT, &key, &data, &size);
  if (found) assert_int_equal(data[0], n & 255);
  kiln_free(data);
  return found;
}

static void the_oldest_entries_go_first(void **state) {
  if (alloc_fail_active()) return; /* short_of_memory_an_entry_may_be_lost is about that */
  setenv("KILN_CACHE_SIZE", "20000", 1);
  for (unsigned n = 0; n < 15; n++) {
    put(n, 1000);
    usleep(10000); /* time stamps differ */
  }
  assert_true(has(0)); /* used now: younger than the others */
  usleep(10000);
  for (unsigned n = 15; n < 25; n++) {
    put(n, 1000);
    usleep(10000);
    assert_true(cache_bytes() <= 20000);
  }
  assert_true(has(24) && has(0));
  assert_false(has(1));
  setenv("KILN_CACHE_SIZE", "0", 1);
  put(100, 1000); /* memory */
  assert_true(has(100));
  kiln_cache_forget();
  assert_false(has(100));
}

static void memory_has_an_end_too(void **state) {
  if (alloc_fail_active()) return;
  setenv("KILN_CACHE_DIR", "", 1);
  for (unsigned n = 0; n < 40000; n++) put(n, 4096);
  assert_true(has(39999));
  assert_false(has(0));
  kiln_cache_forget();
}

/* The n-th allocation fails while entries are put and read: at worst they are lost. */
static void short_of_memory_an_entry_may_be_lost(void **state) {
  for (int i = 0; i < 2; i++) { /* on disk, in memory */
    bool failed = true;
    setenv("KILN_CACHE_DIR", i == 0 ? fake_cache_folder() : "", 1);
    setenv("KILN_CACHE_SIZE", "20000", 1);
    for (size_t n = 1; failed; n++) {
      size_t live = kiln_alloc_live();
      kiln_alloc_fail_nth(n);
      for (unsigned entry = 0; entry < 12; entry++) {
        put(entry, 3000); /* more than there is room for */
        has(entry);
      }
      failed = kiln_alloc_has_failed();
      kiln_alloc_fail_nth(0);
      put(100, 1000);
      assert_true(has(100));
      kiln_cache_forget();
      assert_int_equal(kiln_alloc_live(), live);
      fake_clear_cache();
    }
  }
}

/* ---- processes ---- */

static void processes_share_a_cold_cache(void **state) {
  struct fixture *f = *state;
  enum { CHILDREN = 8 };
  pid_t children[CHILDREN];
  int count = rounds(CHILDREN);
  for (int i = 0; i < count; i++) {
    if ((children[i] = fork()) != 0) continue;
    alarm(60);
    cl_int err;
    struct fixture own = {f->platform, f->device, NULL, NULL};
    own.context = kiln_clCreateContext(NULL, 1, &f->device, NULL, NULL, &err);
    own.queue = kiln_clCreateCommandQueueWithProperties(own.context, f->device, NULL, &err);
    for (int n = 0; n < rounds(50); n++) {
      char text[64];
      snprintf(text, sizeof text, "kernel void k() {%d}\n", n);
      use(&own, text, NULL);
    }
    _exit(0);
  }
  for (int i = 0; i < count; i++) {
    int status;
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_open_fixture, fake_close_fixture)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_second_run_compiles_nothing),
      TEST(every_part_of_the_key_matters),
      TEST(embedded_headers_are_part_of_the_key),
      TEST(included_files_are_looked_at_again),
      TEST(what_asks_for_the_time_is_not_kept),
      TEST(warnings_are_kept),
      TEST(failures_are_not_kept),
      TEST(damaged_files_are_misses),
      TEST(files_that_others_could_write_are_not_run),
      TEST(without_a_folder_memory_serves),
      TEST(the_folder_follows_the_environment),
      TEST(the_oldest_entries_go_first),
      TEST(memory_has_an_end_too),
      TEST(short_of_memory_an_entry_may_be_lost),
      TEST(processes_share_a_cold_cache),
  };
  return alloc_fail_run_group(tests, NULL, NULL);
}
