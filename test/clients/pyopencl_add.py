"""pyopencl on Kiln: create, build, run, read; a build error with its log; an array expression."""
import numpy as np
import pyopencl as cl
import pyopencl.array

platform = next(p for p in cl.get_platforms() if p.name == "Kiln")
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
a = np.random.default_rng(1).random(50000, dtype=np.float32)
b = np.random.default_rng(2).random(50000, dtype=np.float32)
flags = cl.mem_flags
ga = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
gb = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b)
gc = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
program = cl.Program(context, """
    __kernel void sum(__global const float *a, __global const float *b, __global float *c) {
      int gid = get_global_id(0);
      c[gid] = a[gid] + b[gid];
    }""").build()
event = program.sum(queue, a.shape, None, ga, gb, gc)
event.wait()
assert event.profile.end >= event.profile.start >= event.profile.submit >= event.profile.queued
c = np.empty_like(a)
cl.enqueue_copy(queue, c, gc)
assert np.array_equal(c, a + b)

try:
    cl.Program(context, "kernel void broken(global int *p) { p[0] = undeclared; }").build()
    raise SystemExit("a broken program was built")
except cl.RuntimeError as error:
    assert "undeclared" in str(error), error

x = cl.array.to_device(queue, a)
y = cl.array.to_device(queue, b)
assert np.allclose((2 * x + y).get(), 2 * a + b)
assert np.isclose(cl.array.sum(x).get(), a.sum(dtype=np.float64), rtol=1e-4)
print("pyopencl", cl.VERSION_TEXT, "on", platform.version)
