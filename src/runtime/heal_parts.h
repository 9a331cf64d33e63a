/* What the files of healing share. */
#ifndef DARN_RUNTIME_HEAL_PARTS_H
#define DARN_RUNTIME_HEAL_PARTS_H

#include "runtime/hold.h"

#define DARN_EACH_HOLD(healer, hold)                                                               \
    for (uint32_t left_ = (healer)->used;                                                          \
         left_ && ((hold) = &(healer)->holds[__builtin_ctz(left_)], 1); left_ &= left_ - 1)

#endif
