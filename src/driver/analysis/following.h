/*
 * An analysis of a program that still runs: its events go to the engines as they come, and what
 * they find is told at once.
 */
#ifndef DARN_DRIVER_FOLLOWING_H
#define DARN_DRIVER_FOLLOWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/analysis/analysis.h"
#include "engine/common/blocks.h"

struct darn_following {
    struct darn_analysis *analysis; /* begun */
    const char *path;               /* of the trace */
    uint64_t ahead;                 /* so many bytes of it may be unread before the program waits */
    /* The verdicts of the analysis have become more. */
    void (*found)(void *context);
    void *context;

    /* Its own. */
    struct darn_trace *trace; /* NULL: the program has not begun */
    struct darn_places places;
    size_t *collected;          /* predictions of each engine */
    struct darn_blocks *blocks; /* of the heap: `list` is the number of their ALLOC */
    bool changes;               /* the last event of a piece is the end of one */
    struct darn_event *allocs;
    uint32_t *unused;
    size_t alloc_room, unused_room, alloc_count, unused_count;
    int status; /* 0 or DARN_REFUSED: no more is read */
};

/* Takes what the program has written meanwhile. To be called again and again. */
void darn_following_look(struct darn_following *following);

/* The program has ended. 0 or DARN_REFUSED. */
int darn_following_end(struct darn_following *following);

#endif
