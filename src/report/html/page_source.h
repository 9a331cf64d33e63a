/* The lines of source that a page shows: those around each place that it names. */
#ifndef DARN_REPORT_PAGE_SOURCE_H
#define DARN_REPORT_PAGE_SOURCE_H

#include <jansson.h>

#include "base/json.h"

struct darn_page_file {
    char *dir, *file; /* dir: NULL when it is not known */
    unsigned *lines;
    size_t count, room;
};

/* A zeroed struct has none. */
struct darn_page_sources {
    struct darn_page_file *files;
    size_t count, room;
};

/* An object with `file`, `line` and maybe `dir`; anything else is no place. */
void darn_page_sources_add(struct darn_page_sources *sources, const json_t *place);

/* Reads the files and writes them as `sources`. One that cannot be read is left out. */
void darn_page_sources_put(struct darn_page_sources *sources, struct darn_json *json);
void darn_page_sources_free(struct darn_page_sources *sources);

#endif
