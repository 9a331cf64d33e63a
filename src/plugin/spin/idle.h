/* What the blocks of a loop do beside computing and reading, as quiet.h judges it. */
#ifndef DARN_PLUGIN_IDLE_H
#define DARN_PLUGIN_IDLE_H

#include <llvm-c/Core.h>

#include "plugin/core/plugin_escape.h"
#include "plugin/core/flow.h"
#include "plugin/spin/quiet.h"

struct darn_idle {
    struct darn_plugin_escape escape;
    struct darn_quiets quiets;
};

enum darn_duty {
    DARN_DUTY_WORK = 1 << 0,    /* an effect on others */
    DARN_DUTY_CALLS = 1 << 1,   /* by a function that may do anything */
    DARN_DUTY_UPDATES = 1 << 2, /* an atomic update */
    DARN_DUTY_PAUSES = 1 << 3,  /* a pause, a yield, a sleep */
};

void darn_idle_init(struct darn_idle *idle);
void darn_idle_free(struct darn_idle *idle);

int darn_idle_is_update(LLVMValueRef instruction);

/* Whether the loop has no effect on others, apart from atomic updates. The functions that it calls
 * do no more than `least`. */
int darn_idle_body(struct darn_idle *idle, const struct darn_body *body, enum darn_quiet least);

/* What is done, of enum darn_duty. */
int darn_idle_duties(struct darn_idle *idle, LLVMBasicBlockRef block);

/* The same for all blocks of the body that are not in the other one, if there is one. */
int darn_idle_duties_of(struct darn_idle *idle, const struct darn_body *body,
                        const struct darn_body *without);

#endif
