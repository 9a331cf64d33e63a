/* A program that dies by a signal: who, where, and what others did to the memory; then the summary.
 */
#ifndef DARN_RUNTIME_CRASH_H
#define DARN_RUNTIME_CRASH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/watch/watch.h"

#define DARN_CRASH_OTHERS 3

enum darn_crash_fault {
    DARN_FAULT_NONE, /* nothing is known of an address */
    DARN_FAULT_READ,
    DARN_FAULT_WRITE,
    DARN_FAULT_RUN, /* there is no code */
};

struct darn_crash {
    int number;            /* of the signal */
    struct darn_side side; /* of the thread that it struck; it makes no access */
    enum darn_crash_fault fault;
    uintptr_t address;
    bool is_alone; /* there never was another thread */
    uint32_t other_count;
    struct darn_side others[DARN_CRASH_OTHERS]; /* what they were last seen doing there */
};

/* Called at the start of a program that `darn run` has started, and at the first finding. Others
 * keep their signals as they are. */
void darn_crash_watch(void);

#endif
