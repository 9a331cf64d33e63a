/*
 * A finding, as reports see it.
 *
 * It is made from the raw finding that the runtime writes (docs/raw-finding-format.md), from what
 * an engine predicts (predict.h) or from what a controlled run has left (snapshot.h), and completed
 * by darn_resolve with what the debug information knows. Reports only read it. A text that is not
 * known is NULL, never empty; a line or column that is not known is 0.
 */
#ifndef DARN_REPORT_FINDING_H
#define DARN_REPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/text_pool.h"

struct darn_frame {
    const char *function; /* as people write it: C++ names are demangled */
    const char *file;     /* as named on the compiler's command line, relative to `dir` */
    const char *dir;
    unsigned line, column;
    const char *module; /* the ELF file */
    uint64_t offset;    /* in the module, when there is one */
    uint64_t pc;
    bool is_cxx; /* the unit it was compiled in is C++, be the file a header */
};

struct darn_finding_stack {
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
    const char *part; /* of a lock: `savings.lock`, `forks[1]`; NULL: name and offset must do */
    const char *file; /* where it is declared */
    unsigned line;
};

/* A lock, or something else that threads wait for. */
struct darn_lock {
    const char *kind; /* mutex, read, write, spin; also rwlock (whoever holds it), cond, semaphore,
                         barrier; NULL: no lock */
    uint64_t address;
    struct darn_symbol symbol; /* of a global; in a text trace only `name` is known */
    const char *expression; /* `client->lock`: how the source calls one that has no name, where it
                               is taken; others may be called the same */
    struct darn_finding_stack stack; /* where it was taken */
    struct darn_frame taken;         /* the frame of it that people look for */
    uint64_t uses; /* of a guard: at how many places, or by how many threads, it is held */
};

enum darn_op {
    DARN_OP_READ,
    DARN_OP_WRITE,
    DARN_OP_UPDATE,
    DARN_OP_USE,  /* of an object, by a call */
    DARN_OP_FREE, /* the end of memory, or of an object */
    DARN_OP_ACQUIRE,
    DARN_OP_JOIN,
    DARN_OP_WAIT,
    DARN_OP_SIGNAL,
    DARN_OP_BROADCAST,
    DARN_OP_STOP, /* where the thread was when the run ended */
    DARN_OP_UNLOCK,
    DARN_OP_DESTROY,
    DARN_OP_INIT,
    DARN_OP_HOLD, /* where the thread took what it still holds */
};

struct darn_finding_access {
    enum darn_op op;
    bool atomic, is_volatile;
    bool is_pointer;       /* what it writes, as the compiler knows */
    bool has_site;         /* the raw finding says where it is, the stack need not be asked */
    bool last_seen;        /* the place is the last one that is known, not where it happened */
    const char *assertion; /* it is an assertion of darn.h: exclusive-writer, exclusive-access */
    const char *object;    /* what a `use` or `free` is about, if that is no block of memory: mutex,
                              rwlock, spin, cond, barrier, semaphore, descriptor, stream, stack */
    const char *call;      /* the function of libc that makes it, at the place of its call: read */
    const char *fault;     /* of a `stop`: that it was to `read`, `write` or `run` what is at the
                              address of the finding */
    uint64_t size;
    struct darn_value value; /* that it is about to write */
    const char *thread, *thread_name;
    int64_t tid;
    const char *file, *dir, *function;
    unsigned line, column;
    const char *site_file; /* what the site calls the file, for keys; NULL: the same */
    struct darn_finding_stack stack;
    struct darn_lock *locks; /* that the thread holds */
    size_t lock_count;
    bool locks_unknown;      /* it may hold some, nobody knows which */
    struct darn_lock target; /* of what is no access to memory: what it is about */
    struct darn_lock mutex;  /* of a wait: what it gives back meanwhile */
    const char *awaited;     /* of a join: the other thread */
    const char *predicate;   /* of a wait: what the loop around it tests */
    const char *variable;    /* what it accesses, where a finding is about several variables */
    uint64_t site_hash;      /* names the site in the fingerprint; 0: not known yet */
    uint64_t site_key;       /* darn_site_key; 0: not known, or of what was confirmed */
    bool has_copy;      /* of what is predicted: it is known which copy of an inlined function */
    uint64_t site_copy; /* it is in (darn_site_inlined) */
    uint64_t unit_key;  /* of the function or block that is its transaction; 0: that is a
                           critical section, or there is none */
};

enum darn_location_kind {
    DARN_LOCATION_UNKNOWN,
    DARN_LOCATION_GLOBAL,
    DARN_LOCATION_HEAP,
    DARN_LOCATION_STACK
};

struct darn_location {
    enum darn_location_kind kind;
    uint64_t address, size; /* of a heap block */
    const char *thread;     /* that allocated the block, or whose stack it is */
    struct darn_finding_stack stack;
    struct darn_symbol symbol; /* of a global */
};

struct darn_finding_party {
    const char *thread, *name, *parent;
    int64_t tid;
    struct darn_finding_stack stack; /* of its creation */
};

/* The section that an atomicity violation is about. */
struct darn_violated {
    const char *kind;     /* load-and-store, test-and-use, pair, learned, by-hand */
    const char *function; /* that it is in */
    const char *at;       /* `bank.sections:12`, in the repository; NULL: it is in the source */
    const char *allow;    /* what others may do meanwhile: none, read, write; read,write */
};

struct darn_finding {
    struct darn_text_pool pool; /* owns everything below */
    int64_t pid;
    const char *program;
    /* Of the program, as in a shell, after a blank; filled by darn_resolve. What was reported only
     * knows whether there were some. */
    const char *arguments;
    const char *id, *kind, *certainty, *engine, *variable;
    const char *variant_of; /* the id of one that has the same cause (cause.h); NULL: none */
    const char *run_id;     /* what the runtime calls it, when `id` is another one */
    const char *reason;     /* which of the faults of its kind it is: lost-signal; of a failure its
                               outcome: crash */
    const char *detail;     /* of a failure, for people: `SIGSEGV`, `status 3` */
    const char *assertion;  /* of one of the accesses */
    uint64_t count, address, size;
    uint64_t came;  /* of an order: how often the first of the two came first in runs that were
                       recorded */
    bool both_ways; /* of an order: in one of several runs it was the other */
    unsigned files; /* of several runs that were put together: in how many; 0: it is of one */
    struct darn_value before, after;
    bool same_value, unknown_origin;
    bool was_predicted;        /* and reported as such, earlier in the run; now it is observed */
    bool preloaded;            /* the program was not compiled by darn */
    bool variable_from_symbol; /* `variable` is not the name that sites have */
    bool from_text_trace;      /* `file` is the trace, and `line` a location that it names */
    bool variable_is_vague;    /* the sites name it differently: a symbol would be better */
    struct darn_finding_access *accesses; /* also steps that are none, see enum darn_op */
    size_t access_count;                  /* at least 1 */
    struct darn_lock *guards; /* locks under which the memory of a race was accessed, by whoever */
    size_t guard_count;
    struct darn_location location;
    struct darn_location *blocks; /* of the heap, in which locks of the accesses are */
    size_t block_count;
    struct darn_finding_party *threads;
    size_t thread_count;
    struct darn_violated section;
    /* Of what was confirmed. */
    const char *schedule;  /* the file that `darn replay` takes */
    const char **outcomes; /* what its runs came to, one word each: crash, hang, … */
    size_t outcome_count;
    uint32_t well[2], badly[2]; /* of two accesses: runs in which the first or the second one came
                                   first, and that ended well, or failed */
    bool is_suspicion;     /* of a section that nobody has declared, and nothing came of it */
    bool is_cut_off;       /* runs that showed it were cut off: what they led to is not known */
    uint32_t trials, hits; /* runs that tried to make it happen, and in how many it did; 0: nobody
                              has counted */
};

/* Reads a raw finding, `length` bytes of JSON. NULL with one line in `error` when it is none. */
struct darn_finding *darn_finding_read(const char *json, size_t length, char *error,
                                       size_t error_size);
void darn_finding_free(struct darn_finding *finding);

/* What is known about the thread `T1`; NULL when nothing is. */
const struct darn_finding_party *darn_finding_thread(const struct darn_finding *finding,
                                                     const char *thread);

/* Whether it did not happen, but could. */
bool darn_finding_is_predicted(const struct darn_finding *finding);

/* Whether it happened by itself. */
bool darn_finding_is_observed(const struct darn_finding *finding);

/* Whether it happened under a schedule that replays. */
bool darn_finding_is_confirmed(const struct darn_finding *finding);

bool darn_finding_is(const struct darn_finding *finding, const char *kind);

/* "read", "write", "update", "free", … */
const char *darn_op_name(enum darn_op op);

#endif
