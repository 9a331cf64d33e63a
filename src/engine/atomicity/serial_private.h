/* The engine `serial` from inside: its state, and what it says of a cycle. */
#ifndef DARN_ENGINE_SERIAL_PRIVATE_H
#define DARN_ENGINE_SERIAL_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/atomicity/serial_clocks.h"
#include "engine/atomicity/serial_edges.h"
#include "engine/atomicity/transactions.h"
#include "engine/common/order.h"
#include "engine/race/racebase.h"

struct darn_serial {
    struct darn_racebase base; /* first */
    struct darn_transactions *transactions;
    struct darn_order *order; /* NULL: the trace is in order */
    struct darn_serial_clocks clocks;
    struct darn_serial_edges edges;
    size_t own;
    uint64_t untold;
};

/*
 * The thread's transaction comes before `other` and after it, at last by the conflict `last`; NULL
 * if this came earlier, and what `other` knew only now. At most one for each transaction: who has
 * found itself once does so at each step from then on.
 */
void darn_serial_tell(struct darn_serial *serial, struct darn_serial_thread *thread,
                      darn_epoch other, const struct darn_serial_edge *last);

#endif
