/*
 * The repository that a program for production is built for (`darn cc --only=FILE`): which
 * accesses and functions it speaks of. Nothing else is instrumented then.
 */
#ifndef DARN_PLUGIN_WANTED_H
#define DARN_PLUGIN_WANTED_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "section/match.h"

/* Points of sections, by their places. A template is compiled for several structs: where the struct
 * is known that a section is over, accesses to members of others are no points of it. */
struct darn_points {
    struct darn_map keys;    /* of all, */
    struct darn_map members; /* and with the struct, where it is known */
};

void darn_points_add(struct darn_points *points, uint64_t key, const char *type);

/* Whatever the struct; of a mark. */
int darn_points_has(const struct darn_points *points, uint64_t key);

/* `type` is darn_type_of the access. */
int darn_points_has_access(const struct darn_points *points, uint64_t key, const char *type);

void darn_points_free(struct darn_points *points);

struct darn_wanted {
    struct darn_match_section *items; /* without those that were dropped */
    size_t count;
    struct darn_points points;
    struct darn_map variables; /* the last parts of their names, hashed -> darn_variable_class */
    struct darn_map types;     /* the same with the struct, where it is known, */
    struct darn_map untyped;   /* and where it is not */
    struct darn_map functions; /* with the last part of their file, hashed */
};

/* The same at each call. NULL: this is no such build, everything is instrumented. Ends the process
 * with a message if the file cannot be read. */
const struct darn_wanted *darn_wanted(void);

/* Whether the variable may be the same memory as one of theirs (darn_variable_same), a member of
 * the same struct (darn_type_of). `class` is its enum darn_variable_class. */
int darn_wanted_variable(const struct darn_wanted *wanted, const char *variable, uint8_t class,
                         const char *type);

/* Whether one of them, or a point, is in the function of that file. */
int darn_wanted_function(const struct darn_wanted *wanted, const char *file, const char *function);

/* Whether the line belongs to one over lines. */
int darn_wanted_line(const struct darn_wanted *wanted, const char *file, uint32_t line);

#endif
