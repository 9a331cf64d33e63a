/*
 * The story of a schedule while it is being told: what the files snapshot_story.c (what is told),
 * snapshot_words.c (in which words) and snapshot_table.c (where on the page) share.
 */
#ifndef DARN_REPORT_SNAPSHOT_STORY_H
#define DARN_REPORT_SNAPSHOT_STORY_H

#include "base/map.h"
#include "report/story/snapshot_line.h"
#include "report/story/snapshot_private.h"
#include "report/text/ink.h"

enum darn_row_kind {
    DARN_ROW_STEP,
    DARN_ROW_SKIP,   /* steps of one thread that are left out */
    DARN_ROW_SWITCH, /* before `step` another thread goes on */
    DARN_ROW_MET,    /* two threads stand before the same memory */
    DARN_ROW_CUT,    /* everything from here to another row is left out */
    DARN_ROW_AGAIN,  /* the rows before are repeated */
    DARN_ROW_OTHERS, /* steps of threads that take no part */
};

struct darn_row {
    enum darn_row_kind kind;
    uint32_t from;         /* SWITCH: the thread that ran before. MET: index of it */
    uint64_t step;         /* index of the (first) step */
    uint64_t times;        /* how many steps it stands for */
    uint64_t switches;     /* CUT, AGAIN */
    uint64_t rows, rounds; /* AGAIN: how many rows are repeated, and how often */
};

struct darn_rows {
    struct darn_row *list;
    size_t count, room;
};

/* A line of the ending, when it is kept instead of printed. */
struct darn_story_said {
    const char *text;
    const struct darn_story_place *place; /* NULL: none */
    int64_t thread;                       /* that it is about; -1: none */
};

/* From one step to another a thread holds a lock. */
struct darn_story_hold {
    uint32_t thread;
    uint32_t depth;            /* of a recursive lock, while it is counted */
    uint64_t object, from, to; /* `told`: it still holds it */
};

struct darn_story_thread {
    uint32_t number;
    const char *title; /* `T1 worker` */
    unsigned column, width;
    bool takes_part;
};

struct darn_story {
    const struct darn_snapshot *snapshot;
    struct darn_text_pool pool;
    struct darn_ink ink;
    const struct darn_step *steps;
    uint64_t count;
    uint64_t told;                     /* how many of them there are rows for */
    uint64_t *next;                    /* of each step: the next one of its thread; `count`: none */
    bool *marked;                      /* of each step: it belongs to what was met */
    struct darn_story_thread *threads; /* sorted by number */
    size_t thread_count;
    struct darn_map places, objects;
    const char *names[256]; /* of what is waited for: no two have the same */
    size_t name_count;
    struct darn_rows rows;
    bool keeps_said; /* the ending goes to `said`, and is not printed */
    struct darn_story_said *said;
    size_t said_count, said_room;
    /* The page. */
    struct darn_line line;
    unsigned width;
    unsigned margin;   /* where the first column begins */
    unsigned where;    /* the place of a step */
    unsigned position; /* how wide `bank.c:12` is */
    bool in_one_column;
    unsigned title, action; /* in one column: how wide the two are */
};

/* A place, with its line of source. */
struct darn_story_place {
    struct darn_snapshot_place place;
    const char *position; /* `bank.c:12`; empty when it is not known */
    const char *source;   /* without margins; empty when it is not known */
};

/* What a step is about. */
struct darn_story_object {
    const char *name; /* NULL: nobody has asked for it yet */
    uint32_t thread;  /* that touched it first, + 1 */
    bool is_shared, is_changed;
};

/* snapshot_words.c */
const struct darn_story_place *darn_story_place(struct darn_story *story, enum darn_step_op op,
                                                uint64_t place);
/* Where a thread of the result is, as far as its place or its stack tell. */
const struct darn_story_place *darn_story_where(struct darn_story *story,
                                                const struct darn_block_thread *thread);
/* NULL for 0. */
struct darn_story_object *darn_story_object(struct darn_story *story, uint64_t address);
/* `m`, `forks[1]`, `pool+40`; empty when there is no name. */
const char *darn_story_name(struct darn_story *story, enum darn_step_op op, uint64_t place,
                            uint64_t address);
/* `lock m`, `write x`, `create T1` */
const char *darn_story_action(struct darn_story *story, uint64_t step);
const char *darn_story_deed(struct darn_story *story, enum darn_step_op op, uint64_t place,
                            uint64_t object);
/* `T1 waits for m`, `T1 is interrupted`: why another thread goes on; with more, if there is room
 * for it. */
const char *darn_story_reason(struct darn_story *story, const struct darn_row *row, unsigned room);
/* What the thread was about to do when its next step is `next` (`count`: it makes none); NULL when
 * nobody knows. */
const char *darn_story_intention(struct darn_story *story, uint32_t thread, uint64_t next);
/* `waits for mutex m, which T2 holds` */
const char *darn_story_wait(struct darn_story *story, const struct darn_block_thread *thread);

/* snapshot_story.c: finds the threads, sorted, and who touches what; gives each thread its title.
 */
void darn_story_begin(struct darn_story *story, const struct darn_snapshot *snapshot);
void darn_story_name_threads(struct darn_story *story);
void darn_story_end(struct darn_story *story);

/* A signal chooses whom it wakes: that thread does not run yet. */
static inline bool darn_story_runs(const struct darn_step *step)
{
    return step->op != DARN_STEP_WAKE;
}

/* snapshot_holds.c: who holds which lock from when to when, in the order in which they were taken.
 * Returns how many there are; the caller frees the list. */
size_t darn_story_holds(struct darn_story *story, struct darn_story_hold **holds);

/* snapshot_marks.c: the accesses of what was met. Those that are about to be made come after it, if
 * they are told; those of a triple or quad that were made come before it. How many there are. */
#define DARN_STORY_MARKS 4
size_t darn_story_marks(const struct darn_story *story, const struct darn_block_met *met,
                        uint64_t marks[DARN_STORY_MARKS]);
/* The same two places have met before: only the first time is told. */
bool darn_story_met_before(const struct darn_story *story, uint32_t index);
void darn_story_mark(struct darn_story *story);

/* snapshot_cut.c: leaves at most so many rows, of which there are more; those of marked steps, of
 * what was met and of the end before others. */
void darn_story_cut(struct darn_story *story, unsigned most);

/* snapshot_part.c: leaves those threads that have to do with what is told. */
void darn_story_choose_threads(struct darn_story *story);
struct darn_story_thread *darn_story_thread(struct darn_story *story, uint32_t number);
/* The same in any list that is sorted. */
struct darn_story_thread *darn_story_find_thread(struct darn_story_thread *threads, size_t count,
                                                 uint32_t number);

/* snapshot_fold.c: rows that are repeated are told once. */
void darn_story_fold(struct darn_story *story);

/* snapshot_table.c */
void darn_story_lay_out(struct darn_story *story);
void darn_story_print(struct darn_story *story);
/* A line of its own, with a place if there is one; `thread` is the one that it is about, or -1. */
void darn_story_say(struct darn_story *story, int64_t thread, const char *text,
                    const struct darn_story_place *place);

/* snapshot_ending.c: how the run ended. */
void darn_story_ending(struct darn_story *story);

/* snapshot_why.c: without which switch it would have ended well, and what the thread that fails has
 * read of others. */
void darn_story_why(struct darn_story *story);

#endif
