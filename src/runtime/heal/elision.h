/*
 * Lock elision: healing leaves sections to the program's own locks where these keep them atomic.
 *
 * Most sections stand between a lock and an unlock, and everybody else takes the same lock. There
 * is nothing to heal, and to hold the variable as well would cost more than all the rest. So who
 * comes to a variable is looked at for a while. If the same lock was held every time, at the same
 * address and from the entry of a section to its end, healing's own hold is elided: threads that
 * hold a lock do not call any more (DARN_LEVEL_ELIDED). Who comes without a lock still does, and
 * that is the revocation: from then on everybody calls again, and whoever may have got into a
 * section unseen meanwhile is waited for. As long as such a one may be in its section, nothing is
 * elided again.
 *
 * A section in which locks may be given back, by a call for example, goes on calling. It is not
 * shown to others as long as the thread does nothing of the kind (struct darn_healer, `left`), and
 * like any other one from then on (darn_heal_show).
 *
 * Sites are elided in groups, which may touch the same memory: they have a name or a section in
 * common. One that was seen too seldom goes on calling, with or without a lock.
 *
 * Reads that belong to no section do not call where all sections allow others to read.
 *
 * Only in programs that are built to be healed: other guards do not look at darn_own. Users know it
 * as heal_trust, and `trusted` in the account of a run.
 */
#ifndef DARN_RUNTIME_ELISION_H
#define DARN_RUNTIME_ELISION_H

#include <stdbool.h>

#include "runtime/section/rules.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"

/* A site is armed to be healed; what it is in which rules. darn_rules_lock is held. */
void darn_elision_add(const struct darn_site *site, struct darn_roles roles);

/* A module is unloaded. darn_rules_lock is held. */
void darn_elision_forget(const struct darn_site *start, const struct darn_site *stop);

enum darn_elision {
    DARN_ELISION_NOT,       /* it has to be healed, */
    DARN_ELISION_TENTATIVE, /* it is left to the program's lock until that is given back, */
    DARN_ELISION_FULL,      /* or in any case */
};

/* An access of the thread, which is not alone. `idle`: the thread is in no section that others are
 * shown. Tells what the site is in which rules. May wait for others, for heal_bound milliseconds.
 */
enum darn_elision darn_elision_visit(struct darn_thread *thread, const struct darn_touch *touch,
                                     bool idle, struct darn_roles *roles);

/* Whether sections of the rule may give a lock back. */
bool darn_elision_may_release(const struct darn_rule *rule);

/* A section of the rule goes on, and the thread gives back a lock that it was entered under. */
void darn_elision_forbid(const struct darn_rule *rule);

/* Whether sections of the rule are left to the program's locks now. */
bool darn_elision_is_on(const struct darn_rule *rule);

void darn_elision_before_fork(void);
void darn_elision_after_fork(void);

#endif
