/*
 * Sections that the program's own locks keep atomic are left to them.
 *
 * Most sections stand between a lock and an unlock, and everybody else takes the same lock. There
 * is nothing to heal, and to hold the variable as well would cost more than all the rest. So who
 * comes to a variable is looked at for a while. If the same lock was held every time, at the same
 * address and from the entry of a section to its end, then threads that hold a lock do not call any
 * more (DARN_LEVEL_TRUST). Who comes without a lock still does: from then on everybody calls again,
 * and whoever may have got into a section unseen meanwhile is waited for. As long as such a one may
 * be in its section, nobody is trusted again.
 *
 * A section in which locks may be given back, by a call for example, goes on calling. It is not
 * shown to others as long as the thread does nothing of the kind (struct darn_healer, `left`), and
 * like any other one from then on (darn_heal_show).
 *
 * Sites are trusted in groups, which may touch the same memory: they have a name or a section in
 * common. One that was seen too seldom goes on calling, with or without a lock.
 *
 * Reads that belong to no section do not call where all sections allow others to read. And sites
 * that have nothing but a name in common with a section do not call at all (trust_far.c).
 *
 * Only in programs that are built to be healed: other guards do not look at darn_own.
 */
#ifndef DARN_RUNTIME_TRUST_H
#define DARN_RUNTIME_TRUST_H

#include <stdbool.h>

#include "runtime/section/rules.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"

/* A site is armed to be healed; what it is in which rules. darn_rules_lock is held. */
void darn_trust_add(const struct darn_site *site, struct darn_roles roles);

/* A module is unloaded. darn_rules_lock is held. */
void darn_trust_forget(const struct darn_site *start, const struct darn_site *stop);

enum darn_trust {
    DARN_TRUST_NOT,  /* it has to be healed, */
    DARN_TRUST_WARY, /* it is left to the program's lock as long as that is not given back, */
    DARN_TRUST_FULL, /* or in any case */
};

/* An access of the thread, which is not alone. `idle`: the thread is in no section that others are
 * shown. Tells what the site is in which rules. May wait for others, for heal_bound milliseconds.
 */
enum darn_trust darn_trust_visit(struct darn_thread *thread, const struct darn_touch *touch,
                                 bool idle, struct darn_roles *roles);

/* Whether sections of the rule may give a lock back. */
bool darn_trust_is_wary(const struct darn_rule *rule);

/* A section of the rule is entered: there somebody can do harm. */
void darn_trust_enter(const struct darn_rule *rule, uintptr_t address, uint64_t size);

/* A section of the rule goes on, and the thread gives back a lock that it was entered under. */
void darn_trust_lose(const struct darn_rule *rule);

/* Whether sections of the rule are left to the program's locks now. */
bool darn_trust_has(const struct darn_rule *rule);

void darn_trust_before_fork(void);
void darn_trust_after_fork(void);

#endif
