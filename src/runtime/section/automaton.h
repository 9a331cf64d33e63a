/*
 * The automaton of a section (AtomRace, figure 3): which accesses of a thread lead it into a
 * section and out of it, and what the accesses of others do to it meanwhile.
 *
 *     outside --entry--> inside --end--> outside      the end is judged (afterAccessEvent)
 *     outside --call---> called --entry--> inside     the entry counts only behind that call
 *     inside ----------> outside                      unjudged: a way out (atomExitEvent), the end
 *                                                     for other memory, or the memory is freed
 *
 * Sections by annotation have no points: the first access to the variable is the entry, and each
 * one after it ends a section and begins the next.
 *
 * Here is only what a step is. Who watches notes and judges (inside.h, sections.c, scopes.c), who
 * heals keeps others out (heal/heal.c). Inlined: healing asks at every access to its variables.
 */
#ifndef DARN_RUNTIME_AUTOMATON_H
#define DARN_RUNTIME_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/section/rules.h"
#include "runtime/watch/touch.h"
#include "site/site_section.h"
#include "site/site.h"

/* One thread on its way through one section. */
struct darn_stay {
    struct darn_rule *rule; /* NULL: it has no points */
    const void *frame;      /* of the section's function */
    uintptr_t address;      /* of the variable, as the entry has it */
    uint64_t size;
    uint64_t gaps;      /* as in struct darn_touch */
    uint32_t copy;      /* which inlined copy of the section's function (rules.h) */
    uint8_t entry_kind; /* enum darn_site_kind */
    bool has_entry;     /* it is inside */
    bool is_block;      /* annotated over a variable, whose bytes are known without an entry */
};

/* To an annotation, an access that is longer is to many variables, and to none in particular. */
#define DARN_STAY_LONGEST 64

enum darn_stay_step {
    DARN_STAY_NONE,
    DARN_STAY_ENTRY,
    DARN_STAY_END,  /* the section is over when the access is made */
    DARN_STAY_NEXT, /* the same, and it is the entry of another one */
    DARN_STAY_OUT,  /* it is over already, and not judged */
};

/* The frame of the function that has called the hook with this frame. */
static inline const void *darn_stay_caller(const void *frame)
{
    return *(const void *const *)frame;
}

/* What the site is in this rule, or NULL. */
static inline const struct darn_role *darn_stay_role(const struct darn_roles *roles,
                                                     const struct darn_rule *rule, uint8_t role)
{
    for (uint32_t i = 0; i < roles->count; i++) {
        if (roles->list[i].rule == rule && roles->list[i].role == role)
            return &roles->list[i];
    }
    return NULL;
}

static inline bool darn_stay_meets(const struct darn_stay *stay, const struct darn_touch *touch)
{
    struct darn_touch own;

    if (stay->address >= touch->address + touch->size ||
        touch->address >= stay->address + stay->size)
        return false;
    if (!(stay->gaps | touch->gaps))
        return true;
    own = (struct darn_touch){.address = stay->address, .size = stay->size, .gaps = stay->gaps};
    return darn_touch_overlap(&own, touch);
}

/* What a site need not be known for: the memory is freed; or every access to the variable is a
 * point. */
static inline enum darn_stay_step darn_stay_step_anywhere(const struct darn_stay *stay,
                                                          const struct darn_touch *touch)
{
    if (!darn_stay_meets(stay, touch))
        return DARN_STAY_NONE;
    if (touch->op == DARN_OP_FREE)
        return DARN_STAY_OUT;
    if (!touch->site || touch->assertion || touch->size > DARN_STAY_LONGEST)
        return DARN_STAY_NONE;
    return stay->has_entry ? DARN_STAY_NEXT : DARN_STAY_ENTRY;
}

/* The thread's next access. `roles` are those of its site, `caller` the frame of its function;
 * `*role` is what the site is in the rule, of an entry and an end. */
static inline enum darn_stay_step darn_stay_step(const struct darn_stay *stay,
                                                 const struct darn_touch *touch,
                                                 const struct darn_roles *roles, const void *caller,
                                                 const struct darn_role **role)
{
    *role = NULL;
    if (stay->rule && !stay->has_entry) {
        *role = darn_stay_role(roles, stay->rule, DARN_ROLE_ENTRY);
        return *role ? DARN_STAY_ENTRY : DARN_STAY_NONE;
    }
    if (!stay->rule || touch->op == DARN_OP_FREE)
        return darn_stay_step_anywhere(stay, touch);
    *role = darn_stay_role(roles, stay->rule, DARN_ROLE_END);
    if (stay->rule->token)
        return *role ? DARN_STAY_END : DARN_STAY_NONE;
    if (stay->rule->kind == DARN_SECTION_LEARNED) {
        if (!darn_stay_meets(stay, touch))
            return DARN_STAY_NONE;
        return *role ? DARN_STAY_END : DARN_STAY_OUT;
    }
    if (!*role || (caller != stay->frame && !(stay->rule->inside & DARN_SECTION_ACROSS)))
        return DARN_STAY_NONE;
    return (*role)->copy == stay->copy && darn_stay_meets(stay, touch) ? DARN_STAY_END
                                                                       : DARN_STAY_OUT;
}

/* The access is the entry; `role` is what its site is in the rule, if there is one. */
static inline void darn_stay_enter(struct darn_stay *stay, const struct darn_touch *touch,
                                   const struct darn_role *role)
{
    if (stay->rule && stay->rule->token) {
        stay->address = stay->rule->token;
        stay->size = 1;
        stay->gaps = 0;
    } else if (!stay->is_block) {
        stay->address = touch->address;
        stay->size = touch->size;
        stay->gaps = touch->gaps;
    }
    stay->copy = role ? role->copy : 0;
    stay->entry_kind = touch->site->kind;
    stay->has_entry = true;
}

/* The site leads out of the section. */
static inline bool darn_stay_is_left(const struct darn_stay *stay, const struct darn_roles *roles,
                                     const void *caller)
{
    return stay->rule && stay->frame == caller &&
           darn_stay_role(roles, stay->rule, DARN_ROLE_LEAVE) != NULL;
}

/* A section of the rule begins here, for who is in none of that rule. */
static inline bool darn_stay_begins(const struct darn_role *role)
{
    return role->role == DARN_ROLE_ENTRY && !role->rule->has_call;
}

enum darn_stay_again {
    DARN_STAY_OTHER, /* it is of another rule */
    DARN_STAY_OUTER, /* in a call of its own function (recursion): the outer section goes on */
    DARN_STAY_ANEW,  /* it was never left: it is over, unjudged, and begins anew */
};

/* The thread is where a section of the rule begins, and may be in one already. */
static inline enum darn_stay_again darn_stay_again(const struct darn_stay *stay,
                                                   const struct darn_rule *rule, const void *caller)
{
    if (stay->rule != rule)
        return DARN_STAY_OTHER;
    return stay->frame == caller || darn_section_is_anywhere(rule->kind) ? DARN_STAY_ANEW
                                                                       : DARN_STAY_OUTER;
}

/* What others may do between the entry and this end; without a role, by table 1 of AtomRace. */
static inline uint8_t darn_stay_allows(const struct darn_stay *stay, const struct darn_touch *end,
                                       const struct darn_role *role)
{
    uint8_t kind = end->site->kind;

    if (role)
        return role->point->allow;
    if (end->site->flags & DARN_SITE_COVERS)
        kind = DARN_SITE_READ; /* it has read first */
    return darn_section_allows(stay->entry_kind, kind);
}

/* What an access does: enum darn_section_allow. */
static inline uint8_t darn_stay_ops(const struct darn_touch *touch)
{
    if (touch->op == DARN_OP_READ)
        return DARN_ALLOW_READ;
    if (touch->op == DARN_OP_UPDATE || (touch->site && touch->site->flags & DARN_SITE_COVERS))
        return DARN_ALLOW_ALL;
    return DARN_ALLOW_WRITE;
}

/* What of that is a violation. */
static inline uint8_t darn_stay_forbids(uint8_t allow, uint32_t ops)
{
    return (uint8_t)(ops & ~(uint32_t)allow);
}

#endif
