/* What the files of healing share. */
#ifndef DARN_RUNTIME_HEAL_PRIVATE_H
#define DARN_RUNTIME_HEAL_PRIVATE_H

#include "runtime/heal/hold.h"

#define DARN_EACH_HOLD(healer, hold)                                                               \
    for (uint32_t left_ = (healer)->used;                                                          \
         left_ && ((hold) = &(healer)->holds[__builtin_ctz(left_)], 1); left_ &= left_ - 1)

/* The thread goes into a section by `priority`, and out of it. heal_priority.c. */
void darn_heal_urge(struct darn_hold *hold);
void darn_heal_calm(struct darn_hold *hold);

#endif
