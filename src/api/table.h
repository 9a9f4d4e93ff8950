/* Every entry point once. The ICD dispatch table, the lookup by name and the prototypes come from these
 * lists. The function behind clX is kiln_clX, hidden, so that a loader's own clX cannot interpose. */
#ifndef KILN_API_TABLE_H
#define KILN_API_TABLE_H

#include "base/ocl.h"

/* Core entry points whose places in cl_icd_dispatch hold the tag of cl_khr_icd 2 instead. */
#define KILN_TAGGED_ENTRY_POINTS(X)                                                                          \
  X(clGetPlatformIDs)                                                                                        \
  X(clUnloadCompiler)

/* Core entry points, OpenCL 1.0 to 3.0: members of cl_icd_dispatch of the same name. */
#define KILN_CORE_ENTRY_POINTS(X)                                                                            \
  X(clGetPlatformInfo)                                                                                       \
  X(clGetDeviceIDs)                                                                                          \
  X(clGetDeviceInfo)                                                                                         \
  X(clCreateSubDevices)                                                                                      \
  X(clRetainDevice)                                                                                          \
  X(clReleaseDevice)                                                                                         \
  X(clSetDefaultDeviceCommandQueue)                                                                          \
  X(clGetDeviceAndHostTimer)                                                                                 \
  X(clGetHostTimer)                                                                                          \
  X(clCreateContext)                                                                                         \
  X(clCreateContextFromType)                                                                                 \
  X(clRetainContext)                                                                                         \
  X(clReleaseContext)                                                                                        \
  X(clGetContextInfo)                                                                                        \
  X(clSetContextDestructorCallback)                                                                          \
  X(clCreateCommandQueueWithProperties)                                                                      \
  X(clRetainCommandQueue)                                                                                    \
  X(clReleaseCommandQueue)                                                                                   \
  X(clGetCommandQueueInfo)                                                                                   \
  X(clCreateBuffer)                                                                                          \
  X(clCreateSubBuffer)                                                                                       \
  X(clCreateImage)                                                                                           \
  X(clCreatePipe)                                                                                            \
  X(clCreateBufferWithProperties)                                                                            \
  X(clCreateImageWithProperties)                                                                             \
  X(clRetainMemObject)                                                                                       \
  X(clReleaseMemObject)                                                                                      \
  X(clGetSupportedImageFormats)                                                                              \
  X(clGetMemObjectInfo)                                                                                      \
  X(clGetImageInfo)                                                                                          \
  X(clGetPipeInfo)                                                                                           \
  X(clSetMemObjectDestructorCallback)                                                                        \
  X(clSVMAlloc)                                                                                              \
  X(clSVMFree)                                                                                               \
  X(clCreateSamplerWithProperties)                                                                           \
  X(clRetainSampler)                                                                                         \
  X(clReleaseSampler)                                                                                        \
  X(clGetSamplerInfo)                                                                                        \
  X(clCreateProgramWithSource)                                                                               \
  X(clCreateProgramWithBinary)                                                                               \
  X(clCreateProgramWithBuiltInKernels)                                                                       \
  X(clCreateProgramWithIL)                                                                                   \
  X(clRetainProgram)                                                                                         \
  X(clReleaseProgram)                                                                                        \
  X(clBuildProgram)                                                                                          \
  X(clCompileProgram)                                                                                        \
  X(clLinkProgram)                                                                                           \
  X(clSetProgramReleaseCallback)                                                                             \
  X(clSetProgramSpecializationConstant)                                                                      \
  X(clUnloadPlatformCompiler)                                                                                \
  X(clGetProgramInfo)                                                                                        \
  X(clGetProgramBuildInfo)                                                                                   \
  X(clCreateKernel)                                                                                          \
  X(clCreateKernelsInProgram)                                                                                \
  X(clCloneKernel)                                                                                           \
  X(clRetainKernel)                                                                                          \
  X(clReleaseKernel)                                                                                         \
  X(clSetKernelArg)                                                                                          \
  X(clSetKernelArgSVMPointer)                                                                                \
  X(clSetKernelExecInfo)                                                                                     \
  X(clGetKernelInfo)                                                                                         \
  X(clGetKernelArgInfo)                                                                                      \
  X(clGetKernelWorkGroupInfo)                                                                                \
  X(clGetKernelSubGroupInfo)                                                                                 \
  X(clWaitForEvents)                                                                                         \
  X(clGetEventInfo)                                                                                          \
  X(clCreateUserEvent)                                                                                       \
  X(clRetainEvent)                                                                                           \
  X(clReleaseEvent)                                                                                          \
  X(clSetUserEventStatus)                                                                                    \
  X(clSetEventCallback)                                                                                      \
  X(clGetEventProfilingInfo)                                                                                 \
  X(clFlush)                                                                                                 \
  X(clFinish)                                                                                                \
  X(clEnqueueReadBuffer)                                                                                     \
  X(clEnqueueReadBufferRect)                                                                                 \
  X(clEnqueueWriteBuffer)                                                                                    \
  X(clEnqueueWriteBufferRect)                                                                                \
  X(clEnqueueFillBuffer)                                                                                     \
  X(clEnqueueCopyBuffer)                                                                                     \
  X(clEnqueueCopyBufferRect)                                                                                 \
  X(clEnqueueReadImage)                                                                                      \
  X(clEnqueueWriteImage)                                                                                     \
  X(clEnqueueFillImage)                                                                                      \
  X(clEnqueueCopyImage)                                                                                      \
  X(clEnqueueCopyImageToBuffer)                                                                              \
  X(clEnqueueCopyBufferToImage)                                                                              \
  X(clEnqueueMapBuffer)                                                                                      \
  X(clEnqueueMapImage)                                                                                       \
  X(clEnqueueUnmapMemObject)                                                                                 \
  X(clEnqueueMigrateMemObjects)                                                                              \
  X(clEnqueueNDRangeKernel)                                                                                  \
  X(clEnqueueNativeKernel)                                                                                   \
  X(clEnqueueMarkerWithWaitList)                                                                             \
  X(clEnqueueBarrierWithWaitList)                                                                            \
  X(clEnqueueSVMFree)                                                                                        \
  X(clEnqueueSVMMemcpy)                                                                                      \
  X(clEnqueueSVMMemFill)                                                                                     \
  X(clEnqueueSVMMap)                                                                                         \
  X(clEnqueueSVMUnmap)                                                                                       \
  X(clEnqueueSVMMigrateMem)                                                                                  \
  X(clGetExtensionFunctionAddressForPlatform)                                                                \
  X(clSetCommandQueueProperty)                                                                               \
  X(clCreateImage2D)                                                                                         \
  X(clCreateImage3D)                                                                                         \
  X(clEnqueueMarker)                                                                                         \
  X(clEnqueueWaitForEvents)                                                                                  \
  X(clEnqueueBarrier)                                                                                        \
  X(clGetExtensionFunctionAddress)                                                                           \
  X(clCreateCommandQueue)                                                                                    \
  X(clCreateSampler)                                                                                         \
  X(clEnqueueTask)

/* Extension entry points that are members of cl_icd_dispatch. */
#define KILN_DISPATCHED_EXTENSIONS(X)                                                                        \
  X(clCreateSubDevicesEXT)                                                                                   \
  X(clRetainDeviceEXT)                                                                                       \
  X(clReleaseDeviceEXT)                                                                                      \
  X(clGetKernelSubGroupInfoKHR)

/* Extension entry points found by name alone. */
#define KILN_NAMED_EXTENSIONS(X)                                                                             \
  X(clGetKernelSuggestedLocalWorkSizeKHR)                                                                    \
  X(clCreateCommandQueueWithPropertiesKHR)                                                                   \
  X(clCreateProgramWithILKHR)                                                                                \
  X(clGetImageRequirementsInfoEXT)                                                                           \
  X(clIcdGetPlatformIDsKHR)                                                                                  \
  X(clIcdGetFunctionAddressForPlatformKHR)                                                                   \
  X(clIcdSetPlatformDispatchDataKHR)

/* Sharing with OpenGL and EGL, which no device supports: in the dispatch table, where a loader calls them
 * unasked, and answered with the errors for foreign contexts and objects; never found by name as extensions.
 */
#define KILN_SHARING_ENTRY_POINTS(X)                                                                         \
  X(clCreateFromGLBuffer)                                                                                    \
  X(clCreateFromGLTexture)                                                                                   \
  X(clCreateFromGLTexture2D)                                                                                 \
  X(clCreateFromGLTexture3D)                                                                                 \
  X(clCreateFromGLRenderbuffer)                                                                              \
  X(clGetGLObjectInfo)                                                                                       \
  X(clGetGLTextureInfo)                                                                                      \
  X(clEnqueueAcquireGLObjects)                                                                               \
  X(clEnqueueReleaseGLObjects)                                                                               \
  X(clGetGLContextInfoKHR)                                                                                   \
  X(clCreateEventFromGLsyncKHR)                                                                              \
  X(clCreateFromEGLImageKHR)                                                                                 \
  X(clEnqueueAcquireEGLObjectsKHR)                                                                           \
  X(clEnqueueReleaseEGLObjectsKHR)                                                                           \
  X(clCreateEventFromEGLSyncKHR)

#define X(name) __typeof__(name) kiln_##name;
KILN_TAGGED_ENTRY_POINTS(X)
KILN_SHARING_ENTRY_POINTS(X)
KILN_CORE_ENTRY_POINTS(X)
KILN_DISPATCHED_EXTENSIONS(X)
KILN_NAMED_EXTENSIONS(X)
#undef X

#endif
