/*
 * Scripts that run whole threads in another order than the plain run did: the youngest thread
 * first, or each thread as soon as it is made. What goes wrong only in the order of whole threads
 * (use before initialization, a wake-up that comes first) shows at once.
 */
#ifndef DARN_SEARCH_ORDERS_H
#define DARN_SEARCH_ORDERS_H

#include "search/search.h"
#include "search/trail.h"

struct darn_orders {
    struct darn_array reverse, eager; /* of struct darn_switch */
};

/* From a plain run. */
void darn_orders_learn(struct darn_orders *orders, const struct darn_trail *trail);
void darn_orders_forget(struct darn_orders *orders);
void darn_orders_free(struct darn_orders *orders);

/* False when there is no such script, or no memory. */
bool darn_orders_give(const struct darn_array *script, struct darn_task *task);

#endif
