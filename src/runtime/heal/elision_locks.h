/* Which of the program's locks were held at an address, each time (Eraser's candidate set), and by
 * which site it was reached last: a table of the addresses seen last. */
#ifndef DARN_RUNTIME_ELISION_LOCKS_H
#define DARN_RUNTIME_ELISION_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/own.h"

enum darn_elision_locks {
    DARN_LOCKS_NEW,   /* it was not known, */
    DARN_LOCKS_SAME,  /* one of the locks was held there each time, */
    DARN_LOCKS_OTHER, /* none was; what was known is forgotten */
};

/* 0, or -1 when there is no memory. */
int darn_elision_locks_open(void);

struct darn_elision_member;

/* The thread holds these at the address now; `writes`: those for reading do not count. `member` is
 * where it is, and becomes the one that came to the address before; unless it is NEW. */
enum darn_elision_locks darn_elision_look(uintptr_t address, bool writes,
                                          struct darn_elision_member **member);

/* Whether it holds any that counts. */
bool darn_elision_is_locked(bool writes);

#endif
