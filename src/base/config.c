/* Owns the table of environment variables. */
#include "base/config.h"

#include <stdlib.h>

const struct kiln_config_row kiln_config_rows[KILN_CONFIG_COUNT] = {
#define X(id, name, value, help) [KILN_CONFIG_##id] = {name, value, help},
    KILN_CONFIG_TABLE(X)
#undef X
};

const char *kiln_config(enum kiln_config_id id) {
  const char *value = getenv(kiln_config_rows[id].name);
  return value != NULL ? value : kiln_config_rows[id].value;
}

long long kiln_config_int(enum kiln_config_id id, long long fallback) {
  const char *text = kiln_config(id);
  if (text == NULL || *text == '\0') return fallback;
  char *end;
  long long value = strtoll(text, &end, 0);
  return *end == '\0' ? value : fallback;
}
