/* Which sites of rules are armed: those that somebody wants to hear of now. */
#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/section/rules.h"
#include "runtime/section/rules_private.h"
#include "site/armed.h"

/* How many rules are invited at a time, in turn: their sites are armed and disarmed in each round
 * of the sampler. */
#define INVITED 64

struct darn_spin darn_rules_lock;
bool darn_rules_armed_all;
static struct darn_rule *first_invited, *next_invited;

static bool begins(const struct darn_role *role)
{
    return role->role == (role->rule->has_call ? DARN_ROLE_CALL : DARN_ROLE_ENTRY);
}

/* Whether somebody wants to hear of it: a site may be a point of several rules. */
static bool is_needed(const struct darn_site *site)
{
    struct darn_roles roles = darn_rules_of(site);

    for (uint32_t i = 0; i < roles.count; i++) {
        const struct darn_rule *rule = roles.list[i].rule;

        if (begins(&roles.list[i]) ? rule->invited : rule->holds != 0)
            return true;
    }
    return darn_rules_armed_all;
}

/* A site that is needed is never disarmed in between: a thread that passes it unseen would seem to
 * be in its section for ever. */
static void arm(const struct darn_role *role)
{
    if (is_needed(role->site))
        darn_armed_add(role->site, DARN_ARMED_RULE);
    else
        darn_armed_remove(role->site, DARN_ARMED_RULE);
}

static void arm_rule(struct darn_rule *rule, bool beginning)
{
    for (struct darn_role *role = rule->roles; role; role = role->next) {
        if (begins(role) == beginning)
            arm(role);
    }
}

static void invite(struct darn_rule *rule, bool on)
{
    if (rule->invited == on)
        return;
    rule->invited = on;
    arm_rule(rule, true);
}

void darn_rules_invite(bool on)
{
    uint64_t mask = darn_os_block_signals();
    struct darn_rule *rule;
    uint32_t invited = 0;

    darn_spin_lock(&darn_rules_lock);
    if (on)
        first_invited = next_invited ? next_invited : darn_rules();
    for (rule = first_invited; rule && invited < INVITED && !darn_rules_armed_all;
         rule = rule->next) {
        invited += rule->roles != NULL;
        invite(rule, on);
    }
    next_invited = rule;
    darn_spin_unlock(&darn_rules_lock);
    darn_os_restore_signals(mask);
}

void darn_rules_hold(struct darn_rule *rule)
{
    uint64_t mask;

    if (darn_rules_armed_all)
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&darn_rules_lock);
    if (rule->holds++ == 0)
        arm_rule(rule, false);
    darn_spin_unlock(&darn_rules_lock);
    darn_os_restore_signals(mask);
}

void darn_rules_release(struct darn_rule *rule)
{
    uint64_t mask;

    if (darn_rules_armed_all)
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&darn_rules_lock);
    if (rule->holds && --rule->holds == 0)
        arm_rule(rule, false);
    darn_spin_unlock(&darn_rules_lock);
    darn_os_restore_signals(mask);
}

void darn_rules_arm_all(void)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&darn_rules_lock);
    darn_rules_armed_all = true;
    for (struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        for (struct darn_role *role = rule->roles; role; role = role->next)
            arm(role);
    }
    darn_spin_unlock(&darn_rules_lock);
    darn_os_restore_signals(mask);
}

void darn_rules_before_fork(void)
{
    darn_spin_lock(&darn_rules_lock);
}

void darn_rules_after_fork(bool child)
{
    for (struct darn_rule *rule = darn_rules(); child && rule; rule = rule->next)
        rule->holds = 0;
    darn_spin_unlock(&darn_rules_lock);
}
