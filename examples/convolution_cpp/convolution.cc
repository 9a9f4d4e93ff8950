/* The convolution again, through the C++ bindings, launched in their two ways: KernelFunctor and
 * the older make_kernel. CMakeLists.txt builds this file for two versions of the bindings. */
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include "blur.h"
#include "check.h"
#include "device.h"
#include "program.h"
#include "report.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

/* The parameters of the kernel `convolve`. */
template <template <typename...> class Launcher>
using Convolve = Launcher<cl::Buffer, cl::Buffer, cl_int, cl_int, cl::Buffer, cl_int, cl::LocalSpaceArg,
                          cl::LocalSpaceArg>;

struct Session {
  cl::Context context;
  cl::CommandQueue queue;
  cl::Program program;
  cl::Buffer before, after, filter;
};

cl::Program build(const cl::Context &context, const cl::Device &device) {
  char *source = ex_program_source("convolution/convolution.cl");
  cl::Program program(context, std::string(source));
  std::free(source);
  program.build({device});
  return program;
}

Session open(blur &blur) {
  const cl::Device device(ex_device_find(CL_DEVICE_TYPE_DEFAULT), true);
  const size_t bytes = blur.count * sizeof(float);
  Session session;
  session.context = cl::Context(device);
  session.queue = cl::CommandQueue(session.context, device, CL_QUEUE_PROFILING_ENABLE);
  session.program = build(session.context, device);
  session.before = cl::Buffer(session.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, blur.before);
  session.after = cl::Buffer(session.context, CL_MEM_WRITE_ONLY, bytes);
  session.filter =
      cl::Buffer(session.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof blur.filter, blur.filter);
  return session;
}

double milliseconds(const cl::Event &event) {
  event.wait();
  return static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                             event.getProfilingInfo<CL_PROFILING_COMMAND_START>()) *
         1e-6;
}

/* Runs the kernel through `launcher`, fills blur.after and returns the fastest time. */
template <typename Launcher> double convolve(Session &session, blur &blur, Launcher launcher, int runs) {
  const cl::NDRange global(blur_round_up(blur.picture.width), blur_round_up(blur.picture.height), 3);
  const cl::EnqueueArgs where(session.queue, global, cl::NDRange(BLUR_SIDE, BLUR_SIDE, 1));
  double best = 0;
  for (int run = 0; run < runs; run++) {
    const double ms = milliseconds(launcher(
        where, session.before, session.after, blur.picture.width, blur.picture.height, session.filter,
        BLUR_OFFSET, cl::Local(sizeof(float) * BLUR_TILE * BLUR_TILE), cl::Local(sizeof blur.filter)));
    if (run == 0 || ms < best) best = ms;
  }
  session.queue.enqueueReadBuffer(session.after, CL_TRUE, 0, blur.count * sizeof(float), blur.after);
  return best;
}

/* Both launchers, each checked; the time is that of the second, which finds the device warm. */
void run(const ex_options &options, blur &blur, ex_report &report) {
  Session session = open(blur);
  const int runs = ex_options_runs(&options, 5);

  convolve(session, blur, Convolve<cl::compatibility::make_kernel>(session.program, "convolve"), 1);
  report.ok = blur_is_right(&blur);
  std::printf("make_kernel: %s\n", report.ok ? "right" : "WRONG");

  std::memset(blur.after, 0, blur.count * sizeof(float));
  report.ms =
      convolve(session, blur, Convolve<cl::KernelFunctor>(cl::Kernel(session.program, "convolve")), runs);
  ex_options_damage(&options, blur.after, blur.count * sizeof(float));
  const bool functor_ok = blur_is_right(&blur);
  std::printf("KernelFunctor: %s\n", functor_ok ? "right" : "WRONG");
  report.ok = report.ok && functor_ok;
}

} // namespace

int main(int argc, char **argv) {
  const ex_options options = ex_options_parse(argc, argv);
  blur blur = blur_open(&options);
  ex_report report = {};
  report.example = EXAMPLE_NAME;
  report.unit = "GFLOP/s";
  report.work = blur_operations(&blur);
  std::snprintf(report.size, sizeof report.size, "%d x %d RGB, %d x %d", blur.picture.width,
                blur.picture.height, BLUR_DIAMETER, BLUR_DIAMETER);
  try {
    run(options, blur, report);
  } catch (const cl::BuildError &error) {
    for (const auto &log : error.getBuildLog()) std::fprintf(stderr, "%s\n", log.second.c_str());
    ex_die("%s: %s", error.what(), ex_error_name(error.err()));
  } catch (const cl::Error &error) {
    ex_die("%s: %s", error.what(), ex_error_name(error.err()));
  }
  report.ok &= blur_write(&blur, &options, EXAMPLE_NAME);
  blur_close(&blur);
  return ex_report_finish(&options, &report);
}
