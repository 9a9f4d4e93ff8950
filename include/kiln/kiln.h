/* Kiln's own additions for applications; everything else is OpenCL. */
#ifndef KILN_KILN_H
#define KILN_KILN_H

#ifdef __cplusplus
extern "C" {
#endif

/* One sentence about the calling thread's last failed OpenCL call on Kiln, "" if none; valid until its next failing
 * call. Found with clGetExtensionFunctionAddressForPlatform(platform, "kiln_last_error"). */
typedef const char *kiln_last_error_fn(void);

#ifdef __cplusplus
}
#endif

#endif
