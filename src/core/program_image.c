/* Owns the level-1 cache: what identifies a front-end result, when a stored one still holds, and that the
 * same is compiled only once at a time. Knows no program or build. */
#include "core/program_image.h"

#include "base/abi.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "core/cache.h"
#include "core/fork.h"

#include <string.h>
#include <unistd.h>

/* ---- products ---- */

static bool hash_content(struct kiln_program_image *image) {
  struct kiln_blob b = {0};
  struct kiln_hash h;
  struct kiln_program_image content = *image;
  content.hash[0] = content.hash[1] = 0;
  content.num_includes = 0; /* where the text came from does not matter to what it became */
  kiln_program_image_put(&b, &content);
  kiln_hash_init(&h);
  kiln_hash_bytes(&h, b.data, b.size);
  kiln_hash_end(&h, image->hash);
  bool ok = !b.failed;
  kiln_blob_finish(&b);
  return ok;
}

struct kiln_product *kiln_product_new(struct kiln_program_image *image) {
  struct kiln_product *product = hash_content(image) ? kiln_zalloc(sizeof *product) : NULL;
  if (product == NULL) {
    kiln_program_image_finish(image);
    return NULL;
  }
  atomic_init(&product->refs, 1);
  product->image = *image;
  memset(image, 0, sizeof *image);
  return product;
}

struct kiln_product *kiln_product_ref(struct kiln_product *product) {
  if (product != NULL) atomic_fetch_add_explicit(&product->refs, 1, memory_order_relaxed);
  return product;
}

void kiln_product_unref(struct kiln_product **pp) {
  struct kiln_product *product = *pp;
  *pp = NULL;
  if (product == NULL || atomic_fetch_sub_explicit(&product->refs, 1, memory_order_acq_rel) != 1) return;
  kiln_program_image_finish(&product->image);
  kiln_free(product);
}

/* ---- what identifies a request ---- */

bool kiln_target_same_table(const struct kiln_target *a, const struct kiln_target *b) {
  return strcmp(a->features, b->features) == 0 && strcmp(a->extensions, b->extensions) == 0 &&
         strcmp(a->feature_macros, b->feature_macros) == 0 && a->device_version == b->device_version &&
         a->address_bits == b->address_bits && a->image_support == b->image_support;
}

static void hash_target(struct kiln_hash *h, const struct kiln_target *t) {
  kiln_hash_string(h, t->features); /* decide the size of sub-groups, and macros */
  kiln_hash_string(h, t->extensions);
  kiln_hash_string(h, t->feature_macros);
  kiln_hash_u32(h, t->device_version);
  kiln_hash_u32(h, t->address_bits);
  kiln_hash_u32(h, t->image_support);
}

static struct kiln_key key_of(const struct kiln_request *r) {
  struct kiln_hash h;
  struct kiln_key key;
  kiln_hash_init(&h);
  kiln_hash_string(&h, "kiln level 1");
  kiln_hash_string(&h, kiln_compiler_version());
  kiln_hash_u32(&h, KILN_ABI_VERSION);
  kiln_hash_u32(&h, r->kind);
  hash_target(&h, &r->target);
  kiln_hash_string(&h, r->options);
  kiln_hash_bytes(&h, r->source, r->source_size);
  kiln_hash_u32(&h, r->executable);
  kiln_hash_u32(&h, r->num_headers);
  for (uint32_t i = 0; i < r->num_headers; i++) {
    kiln_hash_string(&h, r->headers[i].name);
    kiln_hash_bytes(&h, r->headers[i].text, r->headers[i].size);
  }
  kiln_hash_u32(&h, r->library);
  kiln_hash_u32(&h, r->num_inputs);
  for (uint32_t i = 0; i < r->num_inputs; i++)
    kiln_hash_bytes(&h, r->inputs[i]->hash, sizeof r->inputs[i]->hash);
  kiln_hash_end(&h, key.h);
  return key;
}

/* ---- the entry: image, then log ---- */

static bool include_holds(const struct kiln_include *include) {
  uint8_t *data;
  size_t size;
  if (include->absent) return access(include->path, F_OK) != 0;
  if (!kiln_os_read_file(include->path, &data, &size)) return false;
  bool same = kiln_hash64(data, size) == include->hash;
  kiln_free(data);
  return same;
}

static bool includes_hold(const struct kiln_program_image *image) {
  for (uint32_t i = 0; i < image->num_includes; i++) {
    if (include_holds(&image->includes[i])) continue;
    kiln_log(KILN_LOG_CACHE, KILN_LOG_INFO, "included file %s changed", image->includes[i].path);
    return false;
  }
  return true;
}

static struct kiln_product *load(const struct kiln_key *key, char **log_out) {
  uint8_t *data;
  size_t size;
  if (!kiln_cache_get(KILN_CACHE_PROGRAM_IMAGE, key, &data, &size)) return NULL;
  struct kiln_reader r = kiln_reader_init(data, size);
  struct kiln_program_image image = {0};
  struct kiln_product *product = NULL;
  kiln_program_image_read(&r, &image);
  char *log = kiln_read_string(&r);
  if (!r.failed && includes_hold(&image)) product = kiln_product_new(&image);
  else kiln_program_image_finish(&image);
  if (product != NULL) *log_out = log;
  else kiln_free(log);
  kiln_free(data);
  return product;
}

static void store(const struct kiln_key *key, const struct kiln_program_image *image, const char *log) {
  struct kiln_blob b = {0};
  kiln_program_image_put(&b, image);
  kiln_blob_put_string(&b, log);
  if (!b.failed) kiln_cache_put(KILN_CACHE_PROGRAM_IMAGE, key, b.data, b.size);
  kiln_blob_finish(&b);
}

/* ---- one compile at a time of the same ---- */

struct flight { /* on the stack of the thread that compiles */
  struct flight *next;
  struct kiln_key key;
};

static struct kiln_lock lock = KILN_LOCK_INIT(KILN_RANK_BASE); /* flights */
static pthread_cond_t landed = PTHREAD_COND_INITIALIZER;
static struct flight *flights;

static struct flight **find_flight(const struct kiln_key *key) {
  struct flight **link = &flights;
  while (*link != NULL && memcmp(&(*link)->key, key, sizeof *key) != 0) link = &(*link)->next;
  return link;
}

/* Returns when no other thread works on the same. */
static void take_off(struct flight *f) {
  kiln_lock(&lock);
  while (*find_flight(&f->key) != NULL) kiln_cond_wait(&landed, &lock);
  f->next = flights;
  flights = f;
  kiln_unlock(&lock);
}

static void land(struct flight *f) {
  kiln_lock(&lock);
  *find_flight(&f->key) = f->next;
  pthread_cond_broadcast(&landed);
  kiln_unlock(&lock);
}

void kiln_program_image_fork(enum kiln_fork_phase phase) {
  if (phase == KILN_FORK_PREPARE) {
    pthread_mutex_lock(&lock.mutex);
    return;
  }
  if (phase == KILN_FORK_CHILD) {
    flights = NULL; /* those threads are not here */
    landed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  }
  pthread_mutex_unlock(&lock.mutex);
}

/* ---- */

static uint32_t compile(const struct kiln_request *request, const struct kiln_key *key, char **log_out,
                        struct kiln_product **product_out) {
  struct kiln_reply reply = {0};
  kiln_compiler_run(request, &reply);
  uint32_t status = reply.status;
  if (status == KILN_REPLY_OK) {
    struct kiln_product *product = kiln_product_new(&reply.image);
    if (product == NULL) status = KILN_REPLY_NO_MEMORY;
    else if (!product->image.uncacheable) store(key, &product->image, reply.log);
    *product_out = product;
  }
  *log_out = reply.log;
  reply.log = NULL;
  kiln_reply_finish(&reply);
  return status;
}

uint32_t kiln_product_make(const struct kiln_request *request, char **log_out,
                           struct kiln_product **product_out) {
  struct flight flight = {.key = key_of(request)};
  uint32_t status = KILN_REPLY_OK;
  kiln_fork_watch();
  *log_out = NULL;
  take_off(&flight);
  struct kiln_product *product = load(&flight.key, log_out);
  if (product != NULL) *product_out = product;
  else status = compile(request, &flight.key, log_out, product_out);
  land(&flight);
  return status;
}
