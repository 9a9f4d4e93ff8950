/* Sharing with OpenGL and EGL, which no device supports: a loader calls these without asking. No context is
 * made from a foreign one and no object from a foreign object, and that is what the errors say. */
#include "api/check.h"
#include "api/info.h"
#include "api/table.h"
#include "core/context.h"
#include "core/mem.h"
#include "core/queue.h"

/* CL_INVALID_CONTEXT if context is not a valid context or was not created from an OpenGL context */
static cl_int no_gl(kiln_context *context, const char *where) {
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err != CL_SUCCESS) return err;
  return kiln_fail(context, CL_INVALID_CONTEXT, where, "context %p was not created from an OpenGL context",
                   (void *)context);
}

static void *refused(cl_int err, cl_int *errcode_ret) {
  if (errcode_ret != NULL) *errcode_ret = err;
  return NULL;
}

cl_mem kiln_clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj, int *errcode_ret) {
  return refused(no_gl(context, __func__), errcode_ret);
}

cl_mem kiln_clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                                  cl_GLuint texture, cl_int *errcode_ret) {
  return refused(no_gl(context, __func__), errcode_ret);
}

cl_mem kiln_clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                    cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret) {
  return refused(no_gl(context, __func__), errcode_ret);
}

cl_mem kiln_clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                    cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret) {
  return refused(no_gl(context, __func__), errcode_ret);
}

cl_mem kiln_clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer,
                                       cl_int *errcode_ret) {
  return refused(no_gl(context, __func__), errcode_ret);
}

cl_event kiln_clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret) {
  return refused(no_gl(context, __func__), errcode_ret);
}

cl_event kiln_clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display,
                                          cl_int *errcode_ret) {
  return refused(no_gl(context, __func__), errcode_ret);
}

cl_mem kiln_clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay, CLeglImageKHR eglimage,
                                    cl_mem_flags flags, const cl_egl_image_properties_khr *properties,
                                    cl_int *errcode_ret) {
  /* CL_INVALID_CONTEXT if context is not a valid OpenCL context */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, __func__, "context");
  /* CL_INVALID_OPERATION if there are no devices in context that support images */
  if (err == CL_SUCCESS)
    err = kiln_fail(context, CL_INVALID_OPERATION, __func__,
                    "none of the %u devices of context %p supports images from EGL", context->num_devices,
                    (void *)context);
  return refused(err, errcode_ret);
}

static cl_int no_gl_object(cl_mem memobj, const char *where) {
  /* CL_INVALID_MEM_OBJECT if memobj is not a valid OpenCL memory object */
  cl_int err = kiln_check_handle(NULL, memobj, KILN_T_MEM, where, "memobj");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_GL_OBJECT if there is no OpenGL object associated with memobj */
  return kiln_fail(memobj->context, CL_INVALID_GL_OBJECT, where, "memobj %p has no OpenGL object",
                   (void *)memobj);
}

cl_int kiln_clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type, cl_GLuint *gl_object_name) {
  return no_gl_object(memobj, __func__);
}

cl_int kiln_clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size,
                               void *param_value, size_t *param_value_size_ret) {
  return no_gl_object(memobj, __func__);
}

/* Acquire and release, for OpenGL and EGL alike but for what is wrong with a proper object. */
static cl_int take(kiln_queue *queue, cl_uint num_objects, const cl_mem *mem_objects, bool egl,
                   const char *where) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue */
  cl_int err = kiln_check_handle(NULL, queue, KILN_T_QUEUE, where, "command_queue");
  if (err != CL_SUCCESS) return err;
  /* "If num_objects is 0 and mem_objects is NULL the function does nothing and returns CL_SUCCESS." */
  if (num_objects == 0 && mem_objects == NULL) return CL_SUCCESS;
  /* CL_INVALID_VALUE if num_objects is zero and mem_objects is not a NULL value or if num_objects > 0 and
     mem_objects is NULL */
  if (num_objects == 0 || mem_objects == NULL)
    return kiln_fail(queue->context, CL_INVALID_VALUE, where, "num_objects is %u and mem_objects is %s",
                     num_objects, mem_objects == NULL ? "NULL" : "not NULL");
  /* CL_INVALID_MEM_OBJECT if memory objects in mem_objects are not valid OpenCL memory objects */
  err = kiln_check_handle(queue->context, mem_objects[0], KILN_T_MEM, where, "mem_objects[0]");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_EGL_OBJECT_KHR if memory objects in mem_objects have not been created from EGL resources */
  if (egl)
    return kiln_fail(queue->context, CL_INVALID_EGL_OBJECT_KHR, where, "mem_objects[0] %p has no EGL object",
                     (void *)mem_objects[0]);
  /* CL_INVALID_CONTEXT if context associated with command_queue was not created from an OpenGL context */
  return kiln_fail(queue->context, CL_INVALID_CONTEXT, where,
                   "the context of command_queue %p was not created from an OpenGL context", (void *)queue);
}

cl_int kiln_clEnqueueAcquireGLObjects(cl_command_queue command_queue, cl_uint num_objects,
                                      const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event) {
  return take(command_queue, num_objects, mem_objects, false, __func__);
}

cl_int kiln_clEnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects,
                                      const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event) {
  return take(command_queue, num_objects, mem_objects, false, __func__);
}

cl_int kiln_clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
                                          const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                          const cl_event *event_wait_list, cl_event *event) {
  return take(command_queue, num_objects, mem_objects, true, __func__);
}

cl_int kiln_clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
                                          const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                          const cl_event *event_wait_list, cl_event *event) {
  return take(command_queue, num_objects, mem_objects, true, __func__);
}

cl_int kiln_clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name,
                                  size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  struct kiln_info info = {NULL, __func__, param_name, param_value_size, param_value, param_value_size_ret};
  /* CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR if the specified display and context properties do not identify a
     valid OpenGL or OpenGL ES context */
  KILN_REQUIRE(NULL, properties != NULL, CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR,
               "properties are NULL and name no OpenGL context");
  /* CL_INVALID_VALUE if param_name is not one of the supported values */
  if (param_name != CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR && param_name != CL_DEVICES_FOR_GL_CONTEXT_KHR)
    return kiln_info_unknown(&info);
  /* "If no device(s) exist corresponding to param_name, the call will not fail, but the value of
     param_value_size_ret will be zero." */
  return kiln_info_bytes(&info, NULL, 0);
}
