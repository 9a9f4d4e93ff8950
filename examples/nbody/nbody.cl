/* One time step of N bodies that attract each other. A body is a float4: place and mass.
 *
 * Every work-item owns one body. The work-group brings the bodies in a tile at a time, one each,
 * into local memory, and all its work-items then feel the pull of the whole tile. */

/* What `other` adds to the acceleration of a body at `place`. */
static float4 pull(float4 place, float4 other, float softening) {
  float4 away = other - place;
  away.w = 0.0f;
  float inverse = rsqrt(dot(away, away) + softening);
  return away * (other.w * inverse * inverse * inverse);
}

/* `count` is a multiple of the local size; `tile` has room for one body a work-item. */
__kernel void nbody_step(__global const float4 *bodies, __global const float4 *velocities,
                         __global float4 *new_bodies, __global float4 *new_velocities,
                         __local float4 *tile, int count, float step, float softening) {
  const int me = get_global_id(0), slot = get_local_id(0), tile_size = get_local_size(0);
  const float4 place = bodies[me];
  float4 acceleration = (float4)(0.0f);

  for (int start = 0; start < count; start += tile_size) {
    tile[slot] = bodies[start + slot];
    barrier(CLK_LOCAL_MEM_FENCE); /* the tile is complete */
    for (int i = 0; i < tile_size; i++) acceleration += pull(place, tile[i], softening);
    barrier(CLK_LOCAL_MEM_FENCE); /* nobody reads it any more */
  }

  const float4 velocity = velocities[me] + step * acceleration;
  new_velocities[me] = velocity;
  new_bodies[me] = place + step * velocity; /* w of a velocity is 0: the mass stays */
}
