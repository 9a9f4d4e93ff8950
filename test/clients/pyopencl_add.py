"""pyopencl on Kiln: create, build, run, read; a build error with its log; an array expression; images."""
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
if context.devices[0].image_support:
    picture = np.random.default_rng(3).integers(0, 256, (48, 64, 4), dtype=np.uint8)
    source = cl.image_from_array(context, picture, 4, norm_int=True)
    target = cl.create_image(context, flags.WRITE_ONLY, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8), shape=(64, 48))
    program = cl.Program(context, """
        __kernel void mirror(read_only image2d_t from, sampler_t s, write_only image2d_t to) {
          int2 at = (int2)(get_global_id(0), get_global_id(1));
          write_imagef(to, at, 1.0f - read_imagef(from, s, (int2)(get_image_width(from) - 1 - at.x, at.y)));
        }""").build()
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
    program.mirror(queue, (64, 48), None, source, sampler, target)
    mirrored = np.empty_like(picture)
    cl.enqueue_copy(queue, mirrored, target, origin=(0, 0), region=(64, 48))
    assert np.array_equal(mirrored, 255 - picture[:, ::-1])
    mapped, _, row_pitch, _ = cl.enqueue_map_image(
        queue, target, cl.map_flags.READ, (8, 4), (16, 2), (2, 16, 4), np.uint8, strides=(256, 4, 1))
    assert row_pitch == 256
    assert np.array_equal(mapped, mirrored[4:6, 8:24])
    mapped.base.release(queue)

print("pyopencl", cl.VERSION_TEXT, "on", platform.version)
