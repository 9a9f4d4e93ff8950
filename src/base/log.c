/* Owns KILN_LOG: parses it once, writes lines to stderr. */
#include "base/log.h"

#include "base/config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint8_t kiln_log_levels[KILN_LOG_CHANNELS];

static const char *const channel_names[KILN_LOG_CHANNELS] = {"api", "compile", "cache",
                                                             "mem", "sched",   "device"};

static uint8_t level_named(const char *name, size_t length) {
  if (length == 5 && memcmp(name, "error", 5) == 0) return KILN_LOG_ERROR;
  if (length == 5 && memcmp(name, "debug", 5) == 0) return KILN_LOG_DEBUG;
  return KILN_LOG_INFO;
}

/* One item of the list: CHANNEL or CHANNEL:LEVEL; "all" is every channel. */
static void apply_item(const char *item, size_t length) {
  const char *colon = memchr(item, ':', length);
  size_t name_length = colon == NULL ? length : (size_t)(colon - item);
  uint8_t level = colon == NULL ? KILN_LOG_INFO : level_named(colon + 1, length - name_length - 1);
  for (int c = 0; c < KILN_LOG_CHANNELS; c++) {
    int all = name_length == 3 && memcmp(item, "all", 3) == 0;
    if (all || (strlen(channel_names[c]) == name_length && memcmp(channel_names[c], item, name_length) == 0))
      kiln_log_levels[c] = level;
  }
}

static void parse_once(void) {
  const char *list = kiln_config(KILN_CONFIG_LOG);
  while (list != NULL && *list != '\0') {
    size_t length = strcspn(list, ",");
    apply_item(list, length);
    list += length + (list[length] == ',');
  }
}

void kiln_log_init(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, parse_once);
}

void kiln_log_write(enum kiln_log_channel channel, const char *format, ...) {
  char line[1024];
  va_list ap;
  va_start(ap, format);
  vsnprintf(line, sizeof line, format, ap);
  va_end(ap);
  fprintf(stderr, "kiln %s: %s\n", channel_names[channel], line);
}
