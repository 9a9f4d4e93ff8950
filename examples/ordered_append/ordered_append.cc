/* Byte stuffing by all cores at once, as in ordered_append.c, in C++ for OpenCL 1.1: there the
 * device is split by cl_ext_device_fission, which the bindings call for us when asked to. */
#define CL_HPP_TARGET_OPENCL_VERSION 110
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#define CL_HPP_USE_CL_DEVICE_FISSION
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include "check.h"
#include "device.h"
#include "report.h"
#include "stuffing.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

const char name[] = "ordered_append_cpp";

struct Units {
  std::vector<cl::Device> devices;
  cl::Context context;
  std::vector<cl::CommandQueue> queues;
  size_t in_use;
};

/* Every unit a device of its own. A device of one unit cannot be split and serves as it is. */
std::vector<cl::Device> split(cl::Device device) {
  if (device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>() == 1) return {device};
  const cl_device_partition_property_ext one_each[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1,
                                                       CL_PROPERTIES_LIST_END_EXT};
  std::vector<cl::Device> devices;
  device.createSubDevices(one_each, &devices);
  return devices;
}

/* For OpenCL 1.1 the bindings do not count references to devices, so we release sub-devices. */
void release(const std::vector<cl::Device> &devices) {
  if (devices.size() == 1) return;
  const auto release_device =
      reinterpret_cast<clReleaseDeviceEXT_fn>(clGetExtensionFunctionAddress("clReleaseDeviceEXT"));
  if (release_device == nullptr) throw cl::Error(CL_INVALID_OPERATION, "clReleaseDeviceEXT");
  for (const cl::Device &device : devices) {
    const cl_int code = release_device(device());
    if (code != CL_SUCCESS) throw cl::Error(code, "clReleaseDeviceEXT");
  }
}

/* One queue for each device, no more than --units asks for. */
Units open(const std::vector<cl::Device> &devices, const ex_options &options) {
  Units units;
  units.devices = devices;
  if (options.units != 0 && devices.size() > static_cast<size_t>(options.units))
    units.devices.resize(options.units);
  units.context = cl::Context(units.devices);
  for (const cl::Device &unit : units.devices)
    units.queues.emplace_back(units.context, unit, CL_QUEUE_PROFILING_ENABLE);
  units.in_use = units.queues.size();
  return units;
}

/* Enqueues the blocks from `first` on in the order of the stream: a unit waits only for blocks
 * that were enqueued before its own. */
void enqueue_blocks(const Units &units, const stuffing &job, size_t first,
                    const std::vector<cl::Memory> &buffers, std::vector<cl::Event> &events) {
  for (size_t block = first; block < job.blocks; block++) {
    stuffing_order order = stuffing_order_for(&job, block);
    const std::vector<const void *> places{&order.input, &order.output};
    const cl::CommandQueue &queue = units.queues[block % job.units];
    events.emplace_back();
    queue.enqueueNativeKernel(stuffing_run, {&order, sizeof order}, &buffers, &places, nullptr,
                              &events.back());
    queue.flush();
  }
}

void finish(const Units &units) {
  for (size_t i = 0; i < units.in_use; i++) units.queues[i].finish();
}

/* Has all blocks done, by one unit where many do not work. */
std::vector<cl::Event> do_blocks(Units &units, stuffing &job, const std::vector<cl::Memory> &buffers) {
  std::vector<cl::Event> events;
  stuffing_begin(&job, static_cast<int>(units.in_use));
  enqueue_blocks(units, job, 0, buffers, events);
  finish(units);
  const size_t done = stuffing_done(&job);
  if (done == job.blocks) return events;

  std::printf("stuck after block %zu: the sub-devices do not run at the same time; one goes on\n", done);
  units.in_use = 1;
  stuffing_resume_alone(&job);
  enqueue_blocks(units, job, done, buffers, events);
  finish(units);
  return events;
}

/* From the first start to the last end of the events. */
double span_ms(const std::vector<cl::Event> &events) {
  cl_ulong first = CL_ULONG_MAX, last = 0;
  for (const cl::Event &event : events) {
    first = std::min(first, event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
    last = std::max(last, event.getProfilingInfo<CL_PROFILING_COMMAND_END>());
  }
  return static_cast<double>(last - first) * 1e-6;
}

/* Makes sure that the host sees what the units wrote. */
void fetch_output(const Units &units, const cl::Buffer &output, size_t size) {
  const cl::CommandQueue &queue = units.queues.front();
  void *mapped = queue.enqueueMapBuffer(output, CL_TRUE, CL_MAP_READ, 0, size);
  queue.enqueueUnmapMemObject(output, mapped);
  queue.finish();
}

/* Stuffs the stream once and returns the kernel time. */
double stuff_once(Units &units, stuffing &job) {
  const cl::Buffer input(units.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, job.input_size, job.input);
  const cl::Buffer output(units.context, CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, job.output_limit,
                          job.output);
  const std::vector<cl::Event> events = do_blocks(units, job, {input, output});
  fetch_output(units, output, stuffing_result(&job));
  return span_ms(events);
}

void run(const ex_options &options, Units units, stuffing &job, ex_report &report) {
  const int runs = ex_options_runs(&options, 3);
  report.ok = true;
  for (int i = -1; i < runs && report.ok; i++) { /* run -1 is the warm-up: run 0 replaces it */
    std::memset(job.output, 0xEE, job.output_limit);
    const double ms = stuff_once(units, job);
    if (i <= 0 || ms < report.ms) report.ms = ms;
    if (i == runs - 1) ex_options_damage(&options, job.output, stuffing_result(&job));
    report.ok = stuffing_is_right(&job, stuffing_result(&job));
  }
  std::snprintf(report.size, sizeof report.size, "%zu MB, %zu of %zu units", job.input_size >> 20,
                units.in_use, units.queues.size());
}

int run_and_report(const ex_options &options, const cl::Device &device) {
  stuffing job = stuffing_new(&options);
  ex_report report = {};
  report.example = name;
  report.unit = "GB/s";
  report.work = static_cast<double>(job.input_size);
  try {
    const std::vector<cl::Device> devices = split(device);
    run(options, open(devices, options), job, report);
    release(devices);
  } catch (const cl::Error &error) {
    ex_die("%s: %s", error.what(), ex_error_name(error.err()));
  }
  stuffing_free(&job);
  return ex_report_finish(&options, &report);
}

} // namespace

int main(int argc, char **argv) {
  const ex_options options = ex_options_parse(argc, argv);
  const cl_device_id id = ex_device_find(CL_DEVICE_TYPE_CPU);
  if (id == nullptr) return ex_report_skip(&options, name, "the platform has no CPU device");
  if (!ex_device_runs_native(id)) return ex_report_skip(&options, name, "the device runs no native kernels");
  /* without this the bindings would call through a null pointer */
  if (!ex_device_has_extension(id, "cl_ext_device_fission"))
    return ex_report_skip(&options, name, "the device has no cl_ext_device_fission");
  return run_and_report(options, cl::Device(id));
}
