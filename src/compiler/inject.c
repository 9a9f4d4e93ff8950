/* Owns KILN_INJECT. */
#include "compiler/inject.h"

#include "base/config.h"
#include "compiler/frontend.h"

#include <stdlib.h>
#include <string.h>

static void crash(void) {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}

static void hang(void) {
  for (volatile int forever = 1; forever;) {
  }
}

/* Endless, and allocating all the way: the case in which a host's heap lock would stay taken. */
static unsigned char *overflow(unsigned depth) {
  volatile unsigned char frame[512];
  frame[depth % sizeof frame] = 1;
  unsigned char *block = malloc(24 + depth % 100);
  unsigned char *deeper = depth == 0xffffffffu ? NULL : overflow(depth + 1);
  free(block);
  return frame[0] != 0 ? deeper : NULL;
}

static void overflow_stack(void) { overflow(0); }
static void fatal(void) { kiln_frontend_fatal("injected fatal error"); }
static void exhaust(void) { kiln_frontend_exhaust(); }

void kiln_inject(const char *stage) {
  static const struct {
    const char *name;
    void (*happen)(void);
  } faults[] = {{"crash", crash}, {"abort", abort},   {"hang", hang}, {"overflow", overflow_stack},
                {"fatal", fatal}, {"memory", exhaust}};
  const char *wanted = kiln_config(KILN_CONFIG_INJECT);
  const char *colon = wanted == NULL ? NULL : strchr(wanted, ':');
  if (colon == NULL || strcmp(colon + 1, stage) != 0) return;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (strlen(faults[i].name) == (size_t)(colon - wanted) &&
        memcmp(wanted, faults[i].name, strlen(faults[i].name)) == 0)
      faults[i].happen();
}
