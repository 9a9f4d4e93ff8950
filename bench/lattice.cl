// A step of the lattice Boltzmann method in two dimensions, nine directions, 512 x 512 cells around which the edges
// meet, the densities of each direction in an array of their own. Direction k goes (k % 3 - 1, k / 3 - 1).
// run: -k stream_and_collide -g 512,512 '[2359296]=0.05+0.1*rand(i)' '[2359296]' 1.2 --items 'g0*g1' --name d2q9
// expect: 1/1021: loop(0, x=i%512:x, y=(i%262144-i%512)/512:y, loop(9, r=0:r+a0[k*262144+(y-((k-k%3)/3-1)+512)%512*512+(x-(k%3-1)+512)%512], u=0:u+(k%3-1)*a0[k*262144+(y-((k-k%3)/3-1)+512)%512*512+(x-(k%3-1)+512)%512], v=0:v+((k-k%3)/3-1)*a0[k*262144+(y-((k-k%3)/3-1)+512)%512*512+(x-(k%3-1)+512)%512], k=0:k+1, loop(0, d=(i-i%262144)/262144:d, c=((((i-i%262144)/262144)%3-1)*u+((((i-i%262144)/262144)-((i-i%262144)/262144)%3)/3-1)*v)/r:c, -0.2*a0[d*262144+(y-((d-d%3)/3-1)+512)%512*512+(x-(d%3-1)+512)%512]+1.2*(d%3==1?4:1)*((d-d%3)/3==1?4:1)/36*r*(1+3*c+4.5*c*c-1.5*(u*u+v*v)/(r*r))))) ~ 1e-5
kernel void stream_and_collide(global const float *from, global float *to, float omega) {
  const int width = get_global_size(0), height = get_global_size(1), cells = width * height;
  int x = get_global_id(0), y = get_global_id(1);
  float f[9], density = 0, u = 0, v = 0;
  for (int k = 0; k < 9; k++) {
    int dx = k % 3 - 1, dy = k / 3 - 1;
    int sx = (x - dx + width) % width, sy = (y - dy + height) % height;
    f[k] = from[k * cells + sy * width + sx];
    density += f[k];
    u += dx * f[k];
    v += dy * f[k];
  }
  u /= density;
  v /= density;
  for (int k = 0; k < 9; k++) {
    int dx = k % 3 - 1, dy = k / 3 - 1;
    float along = dx * u + dy * v, weight = (dx ? 1.0f : 4.0f) * (dy ? 1.0f : 4.0f) / 36;
    float rest = weight * density * (1 + 3 * along + 4.5f * along * along - 1.5f * (u * u + v * v));
    to[k * cells + y * width + x] = f[k] + omega * (rest - f[k]);
  }
}
