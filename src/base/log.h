/* Channels and levels of KILN_LOG ("compile,mem:debug"); nothing is printed unless asked. Off costs one load
 * and a branch. Lower case, "name value", no newline at the end. */
#ifndef KILN_BASE_LOG_H
#define KILN_BASE_LOG_H

#include <stdint.h>

enum kiln_log_channel {
  KILN_LOG_API,
  KILN_LOG_COMPILE,
  KILN_LOG_CACHE,
  KILN_LOG_MEM,
  KILN_LOG_SCHED,
  KILN_LOG_DEVICE,
  KILN_LOG_CHANNELS
};
enum kiln_log_level { KILN_LOG_ERROR = 1, KILN_LOG_INFO = 2, KILN_LOG_DEBUG = 3 };

/* Level per channel, 0 when off; set by kiln_log_init from the environment. */
extern uint8_t kiln_log_levels[KILN_LOG_CHANNELS];

void kiln_log_init(void); /* idempotent, thread-safe */
void kiln_log_write(enum kiln_log_channel channel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define kiln_log(channel, level, ...)                                                                        \
  do {                                                                                                       \
    if (__builtin_expect(kiln_log_levels[channel] >= (level), 0)) kiln_log_write(channel, __VA_ARGS__);      \
  } while (0)

#endif
