// Prices of European calls and puts by Black and Scholes, 256 K options, the cumulative normal by erf.
// run: -k price -g 262144 '[262144]=5+25*rand(i)' '[262144]=1+99*rand(i+1)' '[262144]=0.25+9*rand(i+2)' '[262144]' '[262144]' --items g0 --name float
// expect: 3/13: a0[i]*0.5*(1+erf((log(a0[i]/a1[i])+(0.02+0.045)*a2[i])/(0.3*sqrt(a2[i]))/sqrt(2)))-a1[i]*exp(-0.02*a2[i])*0.5*(1+erf(((log(a0[i]/a1[i])+(0.02+0.045)*a2[i])/(0.3*sqrt(a2[i]))-0.3*sqrt(a2[i]))/sqrt(2))) ~ 1e-4
// expect: 4/13: r3[i]-a0[i]+a1[i]*exp(-0.02*a2[i]) ~ 1e-4
// run: -b -cl-fast-relaxed-math -k price -g 262144 '[262144]=5+25*rand(i)' '[262144]=1+99*rand(i+1)' '[262144]=0.25+9*rand(i+2)' '[262144]' '[262144]' --items g0 --name float_relaxed
// expect: 3/13: a0[i]*0.5*(1+erf((log(a0[i]/a1[i])+(0.02+0.045)*a2[i])/(0.3*sqrt(a2[i]))/sqrt(2)))-a1[i]*exp(-0.02*a2[i])*0.5*(1+erf(((log(a0[i]/a1[i])+(0.02+0.045)*a2[i])/(0.3*sqrt(a2[i]))-0.3*sqrt(a2[i]))/sqrt(2))) ~ 1e-2,1%
// expect: 4/13: r3[i]-a0[i]+a1[i]*exp(-0.02*a2[i]) ~ 1e-2,1%
static float normal(float d) { return 0.5f * (1 + erf(d * 0.70710678f)); }
kernel void price(global const float *spot, global const float *strike, global const float *years, global float *call,
                  global float *put) {
  size_t i = get_global_id(0);
  const float rate = 0.02f, volatility = 0.3f;
  float s = spot[i], k = strike[i], t = years[i], root = sqrt(t);
  float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  float d2 = d1 - volatility * root, discount = k * exp(-rate * t);
  call[i] = s * normal(d1) - discount * normal(d2);
  put[i] = discount * normal(-d2) - s * normal(-d1);
}
