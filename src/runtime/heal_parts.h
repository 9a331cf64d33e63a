/* What the files of healing share. */
#ifndef DARN_RUNTIME_HEAL_PARTS_H
#define DARN_RUNTIME_HEAL_PARTS_H

#include "runtime/hold.h"

#define DARN_EACH_HOLD(healer, hold)                                                               \
    for (uint32_t left_ = (healer)->used;                                                          \
         left_ && ((hold) = &(healer)->holds[__builtin_ctz(left_)], 1); left_ &= left_ - 1)

static inline bool darn_hold_overlaps(const struct darn_hold *hold, const struct darn_touch *touch)
{
    return hold->address < touch->address + touch->size &&
           touch->address < hold->address + hold->size;
}

/* enum darn_section_allow of the access. */
uint8_t darn_heal_ops(const struct darn_touch *touch);

/* A hold for the rule, which awaits its entry; NULL: there are too many, or it is not whole. */
struct darn_hold *darn_heal_begin(struct darn_healer *healer, struct darn_rule *rule,
                                  const void *caller);

/* The thread is at the beginning again: whether a section of the rule goes on all the same, which
 * began in an outer call. Others of it end. */
bool darn_heal_begin_anew(struct darn_healer *healer, const struct darn_rule *rule,
                          const void *caller);

/* How the rule is held. */
void darn_heal_fill(struct darn_hold *hold);

void darn_heal_drop(struct darn_hold *hold);

#endif
