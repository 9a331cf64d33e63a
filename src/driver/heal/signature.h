/*
 * A signature (section/deadlock.h) in the making: of a deadlock (heal_deadlock.c), of an order or of
 * a life that ends too early (heal_order.c).
 */
#ifndef DARN_DRIVER_SIGNATURE_H
#define DARN_DRIVER_SIGNATURE_H

#include <stddef.h>

#include "base/words.h"
#include "driver/heal/heal_call.h"
#include "driver/heal/heal_deadlock.h"
#include "report/finding.h"
#include "section/deadlock.h"

struct darn_signature {
    struct darn_deadlock deadlock;
    struct darn_heal_module modules[DARN_DEADLOCK_MODULES]; /* those of the deadlock, in order */
    const void *context;
    char *why;
    size_t why_size;
};

/* Fills in the deadlock. 0, or -1 when nothing can be made of the finding: `why` is set. */
typedef int darn_signature_maker(struct darn_signature *making, const struct darn_finding *finding);

/* As darn_heal_deadlocks_from. */
int darn_signature_make(darn_signature_maker *maker, const struct darn_finding *finding,
                        const void *context, struct darn_words *signatures,
                        struct darn_heal_why *why);

/* -1 */
int darn_signature_refuse(struct darn_signature *making, const char *why);

/* Appends the frames of the finding, up to the first that is not known. 0 or -1. */
int darn_signature_add_stack(struct darn_signature *making, struct darn_deadlock_stack *stack,
                             const struct darn_finding_stack *from);

/* Says what is called at each place of the stack. -1: something else than should be. */
int darn_signature_describe(struct darn_signature *making, struct darn_deadlock_stack *stack,
                            enum darn_deadlock_by by);

#endif
