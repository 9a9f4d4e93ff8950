/* This kernel does not compile, and that is its purpose: build_error.c reads the log.
 * The mistake stands well below the top, so that only a log which counts lines can name it. */

/* Correct. */
__kernel void twice(__global float *data) {
  size_t i = get_global_id(0);
  data[i] = data[i] + data[i];
}

/* Not correct: nobody has declared the factor. */
__kernel void scaled(__global float *data) {
  size_t i = get_global_id(0);

  data[i] = data[i] * undeclared_factor;
}

/* Correct again. */
__kernel void negated(__global float *data) {
  size_t i = get_global_id(0);
  data[i] = -data[i];
}
