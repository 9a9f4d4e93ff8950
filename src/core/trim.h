/* Keeps the cache folder below its size. */
#ifndef KILN_CORE_TRIM_H
#define KILN_CORE_TRIM_H

#include <stdint.h>

/* Called after an entry was written into the shard-th of the 256 sub-folders. Deletes the entries used
 * longest ago when all together exceed cap bytes. Cheap as long as the shard holds no more than its share. */
void kiln_trim_cache(const char *folder, unsigned shard, uint64_t cap);
/* Bytes and number of all entries in the folder. */
void kiln_cache_usage(const char *folder, uint64_t *bytes_out, uint64_t *entries_out);

#endif
