/* Owns the folder that is written when the compiler dies: source or code, options, headers, and the request
 * as it was, to be run again with `kiln-compile libkiln-compiler.so < request`. */
#include "compiler/client/client.h"

#include "base/alloc.h"
#include "base/config.h"
#include "base/os.h"
#include "compiler/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The folder of all reproducers. */
static bool crash_folder(char *out, size_t size) {
  const char *crash = kiln_config(KILN_CONFIG_CRASH_DIR), *cache = kiln_config(KILN_CONFIG_CACHE_DIR);
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = -1;
  if (crash != NULL && *crash != '\0') length = snprintf(out, size, "%s", crash);
  else if (cache != NULL && *cache != '\0') length = snprintf(out, size, "%s/crash", cache);
  else if (xdg != NULL && *xdg == '/') length = snprintf(out, size, "%s/kiln/crash", xdg);
  else if (home != NULL && *home == '/') length = snprintf(out, size, "%s/.cache/kiln/crash", home);
  return length > 0 && (size_t)length < size;
}

static bool put_file(const char *folder, const char *name, const void *data, size_t size) {
  char path[4352];
  int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  return length > 0 && (size_t)length < sizeof path && kiln_os_publish_file(path, data, size);
}

/* Header names may hold slashes and dots that lead elsewhere: they are numbered instead. */
static bool put_headers(const char *folder, const struct kiln_request *q) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < q->num_headers; i++) {
    char name[32];
    snprintf(name, sizeof name, "header-%u.h", i);
    ok = put_file(folder, name, q->headers[i].text, q->headers[i].size);
  }
  return ok;
}

static bool put_images(const char *folder, const struct kiln_request *q) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < q->num_inputs; i++) {
    char name[32];
    snprintf(name, sizeof name, "input-%u.bc", i);
    ok = put_file(folder, name, q->inputs[i]->bitcode, q->inputs[i]->bitcode_size);
  }
  if (ok && q->image != NULL) ok = put_file(folder, "program.bc", q->image->bitcode, q->image->bitcode_size);
  return ok;
}

static bool put_settings(const char *folder, const struct kiln_request *q) {
  char text[4096];
  int length =
      snprintf(text, sizeof text,
               "options: %s\nfeatures: %s\ntune: %s\nextensions: %s\nkernel: %s\nlocal size: %u %u %u\n"
               "width: %u\noptimise: %u\n",
               q->options == NULL ? "" : q->options, q->target.features, q->target.tune, q->target.extensions,
               q->kernel == NULL ? "" : q->kernel, q->spec.local_size[0], q->spec.local_size[1],
               q->spec.local_size[2], q->spec.width, q->optimize);
  return length > 0 && put_file(folder, "settings.txt", text, strlen(text));
}

void kiln_reproducer_write(const struct kiln_request *request, const struct kiln_blob *bytes, char *out,
                           size_t size) {
  static _Atomic unsigned number;
  char base[4096], folder[4224];
  if (!crash_folder(base, sizeof base)) {
    snprintf(out, size, "No reproducer was saved: there is no cache folder (see KILN_CRASH_DIR).");
    return;
  }
  snprintf(folder, sizeof folder, "%s/%llx-%d-%u", base, (unsigned long long)time(NULL), (int)getpid(),
           number++);
  bool ok = put_file(folder, "request", bytes->data, bytes->size);
  if (ok && request->source != NULL)
    ok = put_file(folder, "kernel.cl", request->source, request->source_size);
  ok = ok && put_settings(folder, request) && put_headers(folder, request) && put_images(folder, request);
  snprintf(out, size, ok ? "A reproducer was saved in %s" : "A reproducer could not be saved in %s", folder);
}
