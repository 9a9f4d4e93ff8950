/* The heap of libkiln-compiler.so: every allocation of LLVM, Clang and libstdc++ ends here (--wrap=malloc and
 * friends). Owns one reserved address range, so that a compile that dies in the middle of an allocation
 * leaves no lock of the host's heap taken, and so that pointers that come from libc (strdup, realpath) are
 * told apart by address. Must not know what it serves.
 *
 * The range is cut into 64 KiB spans. A span holds objects of one size class, or is part of a run of spans
 * that is one large object or free. Span records lie at the start of the range, beside no object. */
#include "compiler/heap.h"

#include "base/config.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  SPAN_BITS = 16,
  SPAN_SIZE = 1 << SPAN_BITS,
  CLASSES = 44,
  LARGEST_CLASS = 32768,
  BINS = 64,                    /* free runs of 1..63 spans, and the longer ones in bin 0 */
  GROW_SPANS = 64,              /* least spans to make accessible at once: 4 MiB */
  KEEP_BYTES = 64 * 1024 * 1024 /* free memory kept from the system between requests */
};

/* A compile that wants more than this is stuck: it fails before it takes the host's memory. */
#define MOST_BYTES ((size_t)1 << 34)
#define LEAST_BYTES ((size_t)1 << 26)

enum span_kind { SPAN_BODY, SPAN_FREE, SPAN_SMALL, SPAN_LARGE };

/* Record of a span. For FREE and LARGE runs the first and the last span's records hold the length. */
struct span {
  uint8_t kind, class;
  uint8_t dirty;  /* FREE: pages may hold data */
  uint8_t listed; /* SMALL: in the class's list of spans with room */
  uint32_t length;
  uint32_t used, carved; /* SMALL: objects out; objects ever handed out, the rest is untouched */
  uint32_t next, prev;   /* FREE: bin list; SMALL: class list; 0 ends */
  void *free;            /* SMALL: objects given back */
};

static struct {
  atomic_flag lock;
  uint8_t *base, *end;    /* the reserved range */
  struct span *spans;     /* at base; index 0 and the record area itself are never handed out */
  uint32_t top, limit;    /* first span never used; spans that are accessible */
  uint32_t capacity;      /* spans in the range */
  uint32_t bins[BINS];    /* heads of free runs */
  uint32_t room[CLASSES]; /* heads of spans with room */
} heap = {.lock = ATOMIC_FLAG_INIT};

static void heap_lock(void) {
  while (atomic_flag_test_and_set_explicit(&heap.lock, memory_order_acquire)) sched_yield();
}
static void heap_unlock(void) { atomic_flag_clear_explicit(&heap.lock, memory_order_release); }

static uint8_t *span_address(uint32_t index) { return heap.base + ((size_t)index << SPAN_BITS); }

static bool owned(const void *p) { return (const uint8_t *)p >= heap.base && (const uint8_t *)p < heap.end; }

static uint32_t span_of(const void *p) { return (uint32_t)(((const uint8_t *)p - heap.base) >> SPAN_BITS); }

/* 16-byte steps up to 256, then four classes per doubling. */
static unsigned class_of(size_t size) {
  if (size <= 256) return size == 0 ? 0 : (unsigned)((size - 1) >> 4);
  unsigned log = 63u - (unsigned)__builtin_clzll(size - 1); /* 8.. */
  return 16 + (log - 8) * 4 + (unsigned)(((size - 1) >> (log - 2)) & 3);
}

static uint32_t class_size(unsigned class) {
  if (class < 16) return (class + 1) * 16;
  unsigned log = 8 + (class - 16) / 4;
  return (1u << log) + (((class - 16) & 3) + 1) * (1u << (log - 2));
}

/* ---- runs of spans ---- */

static unsigned bin_of(uint32_t length) { return length < BINS ? length : 0; }

static void list_remove(uint32_t *head, uint32_t index) {
  struct span *s = &heap.spans[index];
  if (s->prev != 0) heap.spans[s->prev].next = s->next;
  if (s->next != 0) heap.spans[s->next].prev = s->prev;
  if (*head == index) *head = s->next;
}

static void list_push(uint32_t *head, uint32_t index) {
  struct span *s = &heap.spans[index];
  s->prev = 0;
  s->next = *head;
  if (*head != 0) heap.spans[*head].prev = index;
  *head = index;
}

static void run_set(uint32_t first, uint32_t length, enum span_kind kind) {
  heap.spans[first].kind = heap.spans[first + length - 1].kind = (uint8_t)kind;
  heap.spans[first].length = heap.spans[first + length - 1].length = length;
}

static void run_release(uint32_t first, uint32_t length, bool dirty) {
  struct span *after = &heap.spans[first + length], *before = &heap.spans[first - 1];
  if (first + length < heap.top && after->kind == SPAN_FREE) {
    list_remove(&heap.bins[bin_of(after->length)], first + length);
    dirty |= after->dirty;
    length += after->length;
  }
  if (before->kind == SPAN_FREE) {
    uint32_t start = first - before->length;
    list_remove(&heap.bins[bin_of(before->length)], start);
    dirty |= heap.spans[start].dirty;
    length += before->length;
    first = start;
  }
  run_set(first, length, SPAN_FREE);
  heap.spans[first].dirty = dirty;
  list_push(&heap.bins[bin_of(length)], first);
}

static size_t wanted_bytes(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  size_t machine = pages <= 0 || page <= 0 ? MOST_BYTES : (size_t)pages * (size_t)page / 2;
  long long given = kiln_config_int(KILN_CONFIG_COMPILE_MEMORY, (long long)machine);
  size_t size = given < 0 ? 0 : (size_t)given;
  return size > MOST_BYTES ? MOST_BYTES : size < LEAST_BYTES ? LEAST_BYTES : size;
}

static bool heap_reserve(void) {
  for (size_t size = wanted_bytes(); size >= LEAST_BYTES; size >>= 1) {
    uint8_t *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) continue;
    uint8_t *base = (uint8_t *)(((uintptr_t)p + SPAN_SIZE - 1) & ~(uintptr_t)(SPAN_SIZE - 1));
    uint32_t capacity = (uint32_t)((size - SPAN_SIZE) >> SPAN_BITS);
    size_t records = ((capacity + 1) * sizeof(struct span) + SPAN_SIZE - 1) & ~(size_t)(SPAN_SIZE - 1);
    if (mprotect(base, records, PROT_READ | PROT_WRITE) != 0) {
      munmap(p, size);
      continue;
    }
    heap.spans = (struct span *)(void *)base;
    heap.capacity = capacity;
    heap.top = heap.limit = (uint32_t)(records >> SPAN_BITS);
    heap.spans[heap.top - 1].kind = SPAN_LARGE; /* stops run_release from looking below */
    heap.end = base + ((size_t)capacity << SPAN_BITS);
    heap.base = base;
    return true;
  }
  return false;
}

/* Fresh spans from the top of the range; 0 when it is used up or the system refuses memory. */
static uint32_t run_grow(uint32_t length) {
  if (heap.base == NULL && !heap_reserve()) return 0;
  if (length > heap.capacity - heap.top) return 0;
  if (heap.top + length > heap.limit) {
    uint32_t want = heap.top + length - heap.limit;
    want = want < GROW_SPANS ? GROW_SPANS : want;
    if (want > heap.capacity - heap.limit) want = heap.capacity - heap.limit;
    if (mprotect(span_address(heap.limit), (size_t)want << SPAN_BITS, PROT_READ | PROT_WRITE) != 0) return 0;
    if (want == GROW_SPANS) /* all at once, which takes less than a fault for each page */
      madvise(span_address(heap.limit), (size_t)want << SPAN_BITS, MADV_POPULATE_WRITE);
    heap.limit += want;
  }
  uint32_t first = heap.top;
  heap.top += length;
  return first;
}

/* Cuts `length` spans off the free run at first. */
static void run_take(uint32_t first, uint32_t length) {
  uint32_t whole = heap.spans[first].length;
  bool dirty = heap.spans[first].dirty;
  list_remove(&heap.bins[bin_of(whole)], first);
  if (whole == length) return;
  run_set(first + length, whole - length, SPAN_FREE);
  heap.spans[first + length].dirty = dirty;
  list_push(&heap.bins[bin_of(whole - length)], first + length);
}

static uint32_t run_find(uint32_t length) {
  for (uint32_t bin = length; bin < BINS; bin++)
    if (heap.bins[bin] != 0) return heap.bins[bin];
  uint32_t best = 0;
  for (uint32_t i = heap.bins[0]; i != 0; i = heap.spans[i].next)
    if (heap.spans[i].length >= length && (best == 0 || heap.spans[i].length < heap.spans[best].length))
      best = i;
  return best;
}

static uint32_t run_allocate(uint32_t length, enum span_kind kind, bool *clean_out) {
  uint32_t first = run_find(length);
  *clean_out = first == 0 || !heap.spans[first].dirty;
  if (first != 0) run_take(first, length);
  else if ((first = run_grow(length)) == 0) return 0;
  run_set(first, length, kind);
  return first;
}

/* ---- small objects ---- */

static uint32_t class_span(unsigned class) {
  if (heap.room[class] != 0) return heap.room[class];
  bool clean;
  uint32_t index = run_allocate(1, SPAN_SMALL, &clean);
  if (index == 0) return 0;
  struct span *s = &heap.spans[index];
  s->class = (uint8_t) class;
  s->used = s->carved = 0;
  s->free = NULL;
  s->listed = 1;
  list_push(&heap.room[class], index);
  return index;
}

static void *small_allocate(unsigned class) {
  uint32_t index = class_span(class);
  if (index == 0) return NULL;
  struct span *s = &heap.spans[index];
  uint32_t size = class_size(class), count = SPAN_SIZE / size;
  void *p = s->free;
  if (p != NULL) s->free = *(void **)p;
  else p = span_address(index) + (size_t)s->carved++ * size;
  if (++s->used == count) {
    list_remove(&heap.room[class], index);
    s->listed = 0;
  }
  return p;
}

static void small_release(uint32_t index, void *p) {
  struct span *s = &heap.spans[index];
  *(void **)p = s->free;
  s->free = p;
  s->used--;
  if (!s->listed) {
    list_push(&heap.room[s->class], index);
    s->listed = 1;
  } else if (s->used == 0 && (s->next != 0 || s->prev != 0)) { /* keep one empty span per class */
    list_remove(&heap.room[s->class], index);
    run_release(index, 1, true);
  }
}

static uint32_t spans_for(size_t size) { return (uint32_t)((size + SPAN_SIZE - 1) >> SPAN_BITS); }

/* *clean_out: the memory is known to be zero. */
static void *allocate(size_t size, bool *clean_out) {
  *clean_out = false;
  void *p = NULL;
  if (size <= PTRDIFF_MAX - SPAN_SIZE) {
    heap_lock();
    if (size <= LARGEST_CLASS) {
      p = small_allocate(class_of(size));
    } else if (size >> SPAN_BITS < heap.capacity || heap.base == NULL) {
      uint32_t first = run_allocate(spans_for(size), SPAN_LARGE, clean_out);
      p = first == 0 ? NULL : span_address(first);
    }
    heap_unlock();
  }
  if (p == NULL) errno = ENOMEM;
  return p;
}

static size_t usable(const void *p) {
  const struct span *s = &heap.spans[span_of(p)];
  return s->kind == SPAN_SMALL ? class_size(s->class) : (size_t)s->length << SPAN_BITS;
}

/* Gives pages of free runs back to the system when many are kept. Called between requests. */
void kiln_heap_trim(void) {
  heap_lock();
  size_t dirty = 0;
  for (int pass = 0; pass < 2 && (pass == 0 || dirty > KEEP_BYTES); pass++) {
    for (unsigned bin = 0; bin < BINS; bin++) {
      for (uint32_t i = heap.bins[bin]; i != 0; i = heap.spans[i].next) {
        if (!heap.spans[i].dirty) continue;
        size_t bytes = (size_t)heap.spans[i].length << SPAN_BITS;
        dirty += pass == 0 ? bytes : 0;
        if (pass == 1 && madvise(span_address(i), bytes, MADV_DONTNEED) == 0) heap.spans[i].dirty = 0;
      }
    }
  }
  heap_unlock();
}

/* ---- what the linker puts in place of libc's ---- */

void *__wrap_malloc(size_t size) {
  bool clean;
  return allocate(size, &clean);
}

void __wrap_free(void *p) {
  if (p == NULL) return;
  if (!owned(p)) {
    __real_free(p);
    return;
  }
  heap_lock();
  uint32_t index = span_of(p);
  if (heap.spans[index].kind == SPAN_SMALL) small_release(index, p);
  else run_release(index, heap.spans[index].length, true);
  heap_unlock();
}

void *__wrap_calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  bool clean;
  void *p = allocate(bytes, &clean);
  return p == NULL || clean ? p : memset(p, 0, bytes);
}

void *__wrap_realloc(void *p, size_t size) {
  if (p == NULL) return __wrap_malloc(size);
  if (!owned(p)) return __real_realloc(p, size);
  size_t have = usable(p);
  if (size <= have && size >= have / 2) return p;
  void *moved = __wrap_malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, p, size < have ? size : have);
  __wrap_free(p);
  return moved;
}

void *__wrap_aligned_alloc(size_t align, size_t size) {
  if (align <= 16) return __wrap_malloc(size);
  if (align > SPAN_SIZE || size > PTRDIFF_MAX) {
    errno = ENOMEM;
    return NULL;
  }
  size_t need = size < align ? align : size;
  if (need > LARGEST_CLASS) return __wrap_malloc(need < SPAN_SIZE ? SPAN_SIZE : need);
  /* classes that are powers of two start at multiples of themselves */
  return __wrap_malloc((size_t)1 << (64 - __builtin_clzll(need - 1)));
}

void *__wrap_memalign(size_t align, size_t size) { return __wrap_aligned_alloc(align, size); }

int __wrap_posix_memalign(void **out, size_t align, size_t size) {
  int saved = errno;
  void *p = __wrap_aligned_alloc(align, size);
  errno = saved;
  if (p == NULL) return ENOMEM;
  *out = p;
  return 0;
}

void *__wrap_reallocarray(void *p, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return __wrap_realloc(p, bytes);
}

size_t __wrap_malloc_usable_size(void *p) {
  return p == NULL ? 0 : owned(p) ? usable(p) : __real_malloc_usable_size(p);
}

/* Static objects of LLVM are never destroyed: the library stays loaded, and a parked compile may use them. */
int __wrap___cxa_atexit(void (*function)(void *), void *argument, void *handle) {
  (void)function, (void)argument, (void)handle;
  return 0;
}
