/*
 * Reading a trace in the STD text form: one event in a line, `T1|acq(L)|12`, or in its binary form
 * (docs/trace-format.md).
 *
 * The text is read as it comes: what is kept grows with the number of names and locations only.
 */
#ifndef DARN_TRACE_TRACE_STD_H
#define DARN_TRACE_TRACE_STD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "trace/damage.h"
#include "trace/file.h"
#include "trace/trace_names.h"
#include "trace/trace_rapid.h"
#include "trace/trace.h"

/* Names have numbers; numbers of these become addresses. */
enum darn_std_kind { DARN_STD_VARIABLE, DARN_STD_LOCK, DARN_STD_BLOCK, DARN_STD_KINDS };

struct darn_std {
    const struct darn_trace_file *file;
    size_t at, forgotten;
    uint64_t line; /* of the next line, or event, from 1 */
    bool is_rapid; /* RapidBin; each event is made a line in `text` */
    char text[DARN_RAPID_LINE];
    struct darn_trace_names threads;
    struct darn_trace_names targets[DARN_STD_KINDS];
    struct darn_map locations; /* + 1, to site ids */
    struct darn_arena arena;
    struct darn_trace_site **sites; /* by id - 1 */
    size_t site_count, site_room;
    struct darn_damage damage; /* `at` is a line */
    size_t damaged_at;         /* and this the byte where it begins */
};

void darn_std_open(struct darn_std *std, const struct darn_trace_file *file);
void darn_std_close(struct darn_std *std);
void darn_std_rewind(struct darn_std *std);

/* 1, 0 at the end, -1 for a line that is no event. */
int darn_std_next(struct darn_std *std, struct darn_event *event);

/* What a variable, lock, block or thread is called; NULL when it has no name. */
const char *darn_std_name(const struct darn_std *std, const struct darn_event *event);

/* What a POINTER points to. */
const char *darn_std_pointee(const struct darn_std *std, const struct darn_event *event);

#endif
