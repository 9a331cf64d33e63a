/* What the plugin costs clang, on stderr when clang ends: if `darn cc --darn-stats` asks for it. */
#ifndef DARN_PLUGIN_STATS_H
#define DARN_PLUGIN_STATS_H

#include <stddef.h>

/* Around each of the two steps. */
void darn_stats_start(void);
void darn_stats_stop(void);

void darn_stats_count(const char *file, size_t length, size_t sites, size_t sections);

#endif
