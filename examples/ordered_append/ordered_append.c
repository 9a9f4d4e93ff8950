/* Byte stuffing by all cores at once: the CPU is split into sub-devices of one compute unit, each
 * with a queue of its own, and native kernels pass the output position from one to the next. */
#include "check.h"
#include "device.h"
#include "report.h"
#include "stuffing.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "ordered_append";

enum { MAX_UNITS = 256 };

struct units {
  cl_uint count, in_use;
  cl_device_id devices[MAX_UNITS];
  bool split; /* false when there is one, the device itself */
  cl_context context;
  cl_command_queue queues[MAX_UNITS];
};

static cl_uint device_number(cl_device_id device, cl_device_info what) {
  cl_uint number = 0;
  EX_CHECK(clGetDeviceInfo(device, what, sizeof number, &number, NULL));
  return number;
}

static bool splits_by_counts(cl_device_id device) {
  cl_device_partition_property can[16] = {0};
  size_t bytes = 0;
  EX_CHECK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof can, can, &bytes));
  for (size_t i = 0; i < bytes / sizeof can[0]; i++)
    if (can[i] == CL_DEVICE_PARTITION_BY_COUNTS) return true;
  return false;
}

/* How many units to use: all of the device, no more than --units asks for. */
static cl_uint wanted_units(const struct ex_options *options, cl_device_id device) {
  cl_uint count = device_number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  const cl_uint most = device_number(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES);
  if (count > most) count = most;
  if (count > MAX_UNITS) count = MAX_UNITS;
  if (options->units != 0 && count > (cl_uint)options->units) count = (cl_uint)options->units;
  return count;
}

/* Splits the device into units: counts of 1, as many as there are to be. A device of one unit
 * cannot be split and serves as it is. */
static void split(const struct ex_options *options, cl_device_id device, struct units *units) {
  units->count = wanted_units(options, device);
  if (device_number(device, CL_DEVICE_MAX_COMPUTE_UNITS) <= 1 || units->count < 1 ||
      !splits_by_counts(device)) {
    units->count = 1;
    units->devices[0] = device;
    return;
  }
  cl_device_partition_property counts[MAX_UNITS + 3] = {CL_DEVICE_PARTITION_BY_COUNTS};
  for (cl_uint i = 0; i < units->count; i++) counts[1 + i] = 1;
  counts[1 + units->count] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
  cl_uint made = 0;
  EX_CHECK(clCreateSubDevices(device, counts, units->count, units->devices, &made));
  if (made != units->count) ex_die("%u sub-devices instead of %u", made, units->count);
  units->split = true;
}

static void open_queues(struct units *units) {
  cl_int code;
  units->in_use = units->count;
  units->context = clCreateContext(NULL, units->count, units->devices, NULL, NULL, &code);
  EX_CHECK_CODE(code, "clCreateContext");
  for (cl_uint i = 0; i < units->count; i++) {
    units->queues[i] =
        clCreateCommandQueue(units->context, units->devices[i], CL_QUEUE_PROFILING_ENABLE, &code);
    EX_CHECK_CODE(code, "clCreateCommandQueue");
  }
}

static void close_units(struct units *units) {
  for (cl_uint i = 0; i < units->count; i++) EX_CHECK(clReleaseCommandQueue(units->queues[i]));
  EX_CHECK(clReleaseContext(units->context));
  for (cl_uint i = 0; units->split && i < units->count; i++) EX_CHECK(clReleaseDevice(units->devices[i]));
}

static cl_mem buffer_over(const struct units *units, cl_mem_flags flags, void *memory, size_t bytes) {
  cl_int code;
  cl_mem buffer = clCreateBuffer(units->context, flags | CL_MEM_USE_HOST_PTR, bytes, memory, &code);
  EX_CHECK_CODE(code, "clCreateBuffer");
  return buffer;
}

/* Enqueues the blocks from `first` on in the order of the stream: a unit waits only for blocks
 * that were enqueued before its own. Returns how many. */
static size_t enqueue_blocks(const struct units *units, const struct stuffing *job, size_t first,
                             const cl_mem buffers[2], cl_event *events) {
  for (size_t block = first; block < job->blocks; block++) {
    struct stuffing_order order = stuffing_order_for(job, block);
    const void *places[2] = {&order.input, &order.output};
    cl_command_queue queue = units->queues[block % (size_t)job->units];
    EX_CHECK(clEnqueueNativeKernel(queue, stuffing_run, &order, sizeof order, 2, buffers, places, 0, NULL,
                                   &events[block - first]));
    EX_CHECK(clFlush(queue));
  }
  return job->blocks - first;
}

static void finish(const struct units *units) {
  for (cl_uint i = 0; i < units->in_use; i++) EX_CHECK(clFinish(units->queues[i]));
}

/* Has all blocks done, by one unit where many do not work. Returns the number of events. */
static size_t do_blocks(struct units *units, struct stuffing *job, const cl_mem buffers[2],
                        cl_event *events) {
  stuffing_begin(job, (int)units->in_use);
  size_t enqueued = enqueue_blocks(units, job, 0, buffers, events);
  finish(units);
  const size_t done = stuffing_done(job);
  if (done == job->blocks) return enqueued;

  printf("stuck after block %zu: the sub-devices do not run at the same time; one goes on\n", done);
  units->in_use = 1;
  stuffing_resume_alone(job);
  enqueued += enqueue_blocks(units, job, done, buffers, events + enqueued);
  finish(units);
  return enqueued;
}

/* From the first start to the last end of the events, which it releases. */
static double span_ms(cl_event *events, size_t count) {
  cl_ulong first = CL_ULONG_MAX, last = 0;
  for (size_t i = 0; i < count; i++) {
    cl_ulong start = 0, end = 0;
    EX_CHECK(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    EX_CHECK(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    if (start < first) first = start;
    if (end > last) last = end;
    EX_CHECK(clReleaseEvent(events[i]));
  }
  return (double)(last - first) * 1e-6;
}

/* Makes sure that the host sees what the units wrote. */
static void fetch_output(const struct units *units, cl_mem output, size_t size) {
  cl_int code;
  void *mapped =
      clEnqueueMapBuffer(units->queues[0], output, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &code);
  EX_CHECK_CODE(code, "clEnqueueMapBuffer");
  EX_CHECK(clEnqueueUnmapMemObject(units->queues[0], output, mapped, 0, NULL, NULL));
  EX_CHECK(clFinish(units->queues[0]));
}

/* Stuffs the stream once and returns the kernel time. */
static double stuff_once(struct units *units, struct stuffing *job) {
  const cl_mem buffers[2] = {
      buffer_over(units, CL_MEM_READ_ONLY, job->input, job->input_size),
      buffer_over(units, CL_MEM_WRITE_ONLY, job->output, job->output_limit),
  };
  cl_event *events = ex_alloc(2 * job->blocks, sizeof *events);

  const size_t enqueued = do_blocks(units, job, buffers, events);
  fetch_output(units, buffers[1], stuffing_result(job));
  const double ms = span_ms(events, enqueued);

  free(events);
  EX_CHECK(clReleaseMemObject(buffers[1]));
  EX_CHECK(clReleaseMemObject(buffers[0]));
  return ms;
}

static int run(const struct ex_options *options, cl_device_id device, struct stuffing *job) {
  struct units units = {0};
  split(options, device, &units);
  open_queues(&units);
  const int runs = ex_options_runs(options, 3);
  struct ex_report report = {.example = name, .unit = "GB/s", .ok = true};
  for (int i = -1; i < runs && report.ok; i++) { /* run -1 is the warm-up: run 0 replaces it */
    memset(job->output, 0xEE, job->output_limit);
    const double ms = stuff_once(&units, job);
    if (i <= 0 || ms < report.ms) report.ms = ms;
    if (i == runs - 1) ex_options_damage(options, job->output, stuffing_result(job));
    report.ok = stuffing_is_right(job, stuffing_result(job));
  }
  snprintf(report.size, sizeof report.size, "%zu MB, %u of %u units", job->input_size >> 20, units.in_use,
           units.count);
  report.work = (double)job->input_size;
  close_units(&units);
  return ex_report_finish(options, &report);
}

int main(int argc, char **argv) {
  struct ex_options options = ex_options_parse(argc, argv);
  cl_device_id device = ex_device_find(CL_DEVICE_TYPE_CPU);
  if (device == NULL) return ex_report_skip(&options, name, "the platform has no CPU device");
  if (!ex_device_runs_native(device))
    return ex_report_skip(&options, name, "the device runs no native kernels");
  struct stuffing job = stuffing_new(&options);
  const int code = run(&options, device, &job);
  stuffing_free(&job);
  return code;
}
