// Every half as a float and as a double, and what is rounded to each half: also on processors without conversions,
// and from doubles, for which few have one.
// run: -b -cl-std=CL3.0 -g 65536 -k widen '[65536]' --name 'halves to floats'
// expect: 0: 1
// run: -b -cl-std=CL3.0 -g 31743 -k narrow '[31743]' --name 'to the nearest half'
// expect: 0: 1
// run: -b -cl-std=CL3.0 -g 65536 -k operate '[65536]' --name 'operations on halves'
// expect: 0: 1
// run: -b -cl-std=CL3.0 -g 64 -k beyond '[64]' --name 'beyond halves'
// expect: 0: 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
static double value(uint bits) {
  int e = bits >> 10 & 31, m = bits & 1023;
  double v = e == 0 ? m * 0x1p-24 : ldexp(1024.0 + m, e - 25);
  return bits & 0x8000 ? -v : v;
}
kernel void widen(global int *good) {
  uint i = get_global_id(0);
  half h = as_half((ushort)i);
  float f = (float)h;
  double d = (double)h;
  if ((i & 0x7c00) != 0x7c00)
    good[i] = f == (float)value(i) && d == value(i) && signbit(f) == (i >> 15) && as_ushort((half)f) == i;
  else if (i & 1023)
    good[i] = isnan(f) && isnan(d) && isnan((half)f) && (as_uint(f) << 10 >> 23 & 511) == (i & 511);
  else
    good[i] = isinf(f) && isinf(d) && signbit(f) == (i >> 15) && as_ushort((half)f) == i;
}
static int rounds(double middle, double step, uint low) {
  uint even = low + (low & 1), high = low + 1;
  float above = nextafter((float)middle, INFINITY), below = nextafter((float)middle, 0.0f);
  int ok = as_ushort((half)middle) == even && as_ushort((half)-middle) == (even | 0x8000);
  ok &= as_ushort((half)(middle + step)) == high && as_ushort((half)(middle - step)) == low;
  ok &= as_ushort((half)(-middle - step)) == (high | 0x8000) && as_ushort((half)(step - middle)) == (low | 0x8000);
  ok &= as_ushort((half)(float)middle) == even && as_ushort((half)-(float)middle) == (even | 0x8000);
  return ok && as_ushort((half)above) == high && as_ushort((half)below) == low;
}
kernel void narrow(global int *good) {
  uint i = get_global_id(0);
  double low = value(i), high = i == 31743 ? 65536 : value(i + 1), middle = 0.5 * (low + high);
  good[i] = rounds(middle, middle * 0x1p-50, i);
}
kernel void operate(global int *good) {
  uint i = get_global_id(0);
  half x = as_half((ushort)i), y = as_half((ushort)(i * 40503 >> 4)), z = as_half((ushort)(i * 30011 >> 3));
  float a = (float)x, b = (float)y, c = (float)z;
  int ok = (x < y) == (a < b) && (x == y) == (a == b) && (x != x) == isnan(a);
  ok &= isnan(a + b) ? isnan(x + y) : x + y == (half)(a + b);
  ok &= isnan(a * b) ? isnan(x * y) : x * y == (half)(a * b);
  ok &= isnan(a / b) ? isnan(x / y) : x / y == (half)(a / b);
  ok &= isnan(a) || (as_ushort(-x) == (i ^ 0x8000) && as_ushort(fabs(x)) == (i & 0x7fff));
  ok &= isnan(a) || isnan(b) || as_ushort(copysign(x, y)) == ((i & 0x7fff) | (as_ushort(y) & 0x8000));
  ok &= isnan(a) ? isnan(sqrt(x)) && isnan(rint(x)) : a < 0 || (sqrt(x) == (half)sqrt(a) && floor(x) == (half)floor(a));
  ok &= !(fabs(a) < 30000) || ((int)x == (int)a && (half)(int)x == (half)trunc(a) && (ushort)fabs(x) == (uint)fabs(a));
  ok &= isnan(a * b + c) ? isnan(fma(x, y, z)) : fma(x, y, z) == (half)((double)a * b + c);
  good[i] = ok;
}
kernel void beyond(global int *good) {
  uint i = get_global_id(0);
  double scale = 1 + i * 0x1p-45, huge = ldexp(scale, 20 + 15 * i), tiny = ldexp(scale, -26 - 15 * (int)i);
  int ok = as_ushort((half)(65520 * scale)) == 0x7c00 && as_ushort((half)(65520 / (scale + 0x1p-45))) == 0x7bff;
  ok &= as_ushort((half)huge) == 0x7c00 && as_ushort((half)-huge) == 0xfc00 && as_ushort((half)(float)huge) == 0x7c00;
  ok &= as_ushort((half)tiny) == 0 && as_ushort((half)-tiny) == 0x8000 && as_ushort((half)(float)tiny) == 0;
  ok &= as_ushort(convert_half_rtz(huge)) == 0x7bff && as_ushort(convert_half_rtp(tiny)) == 1;
  ok &= isnan((half)as_double(0x7ff0000000000001ul + i)) && isnan((half)as_float(0x7f800001u + i));
  good[i] = ok;
}
