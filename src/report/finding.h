/*
 * A finding, as reports see it.
 *
 * It is made from the raw finding that the runtime writes (docs/internals.md), and completed by
 * darn_resolve with what the debug information knows. Reports only read it. A text that is not
 * known is NULL, never empty; a line or column that is not known is 0.
 */
#ifndef DARN_REPORT_FINDING_H
#define DARN_REPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/pool.h"

struct darn_frame {
    const char *function; /* as people write it: C++ names are demangled */
    const char *file;     /* as named on the compiler's command line, relative to `dir` */
    const char *dir;
    unsigned line, column;
    const char *module; /* the ELF file */
    uint64_t offset;    /* in the module, when there is one */
    uint64_t pc;
};

struct darn_stack {
    struct darn_frame *frames; /* the innermost first */
    size_t count;
};

/* A value of at most 8 bytes. */
struct darn_value {
    bool known;
    uint64_t bits;
};

/* A named place in a module: `name` plus `name_offset` bytes. */
struct darn_symbol {
    const char *module;
    uint64_t offset;
    const char *name; /* from here on filled by darn_resolve */
    uint64_t name_offset;
    const char *file; /* where it is declared */
    unsigned line;
};

struct darn_lock {
    const char *kind; /* mutex, read, write, spin */
    uint64_t address;
    struct darn_symbol symbol; /* of a global lock */
};

enum darn_op { DARN_OP_READ, DARN_OP_WRITE, DARN_OP_UPDATE, DARN_OP_FREE };

struct darn_access {
    enum darn_op op;
    bool atomic, is_volatile;
    bool has_site;         /* the raw finding says where it is, the stack need not be asked */
    const char *assertion; /* it is an assertion of darn.h: exclusive-writer, exclusive-access */
    uint64_t size;
    struct darn_value value; /* that it is about to write */
    const char *thread, *thread_name;
    int64_t tid;
    const char *file, *dir, *function;
    unsigned line, column;
    struct darn_stack stack;
    struct darn_lock *locks;
    size_t lock_count;
};

enum darn_place_kind { DARN_PLACE_UNKNOWN, DARN_PLACE_GLOBAL, DARN_PLACE_HEAP, DARN_PLACE_STACK };

struct darn_place {
    enum darn_place_kind kind;
    uint64_t address, size; /* of a heap block */
    const char *thread;     /* that allocated the block, or whose stack it is */
    struct darn_stack stack;
    struct darn_symbol symbol; /* of a global */
};

struct darn_thread {
    const char *thread, *name, *parent;
    int64_t tid;
    struct darn_stack stack; /* of its creation */
};

struct darn_finding {
    struct darn_pool pool; /* owns everything below */
    int64_t pid;
    const char *program;
    const char
        *arguments; /* of the program, as in a shell, after a blank; filled by darn_resolve */
    const char *id, *kind, *certainty, *engine, *variable;
    const char *assertion; /* of one of the accesses */
    uint64_t count, address, size;
    struct darn_value before, after;
    bool same_value, unknown_origin;
    bool variable_from_symbol; /* `variable` is not the name that sites have */
    struct darn_access *accesses;
    size_t access_count; /* at least 1 */
    struct darn_place place;
    struct darn_thread *threads;
    size_t thread_count;
};

/* Reads a raw finding, `length` bytes of JSON. NULL with one line in `error` when it is none. */
struct darn_finding *darn_finding_read(const char *json, size_t length, char *error,
                                       size_t error_size);
void darn_finding_free(struct darn_finding *finding);

/* What is known about the thread `T1`; NULL when nothing is. */
const struct darn_thread *darn_finding_thread(const struct darn_finding *finding,
                                              const char *thread);

/* "read", "write", "update", "free" */
const char *darn_op_name(enum darn_op op);

#endif
