/*
 * The sections that the program shall obey, as the runtime uses them: read from the repository,
 * and matched with the sites of the modules as they are loaded.
 *
 * A rule is a section of the program that one of the repository means (section_module.h).
 * Rules are never taken away. A shared object that is unloaded takes its sites with it.
 */
#ifndef DARN_RUNTIME_RULES_H
#define DARN_RUNTIME_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "section/section.h"
#include "site/site.h"

struct darn_cure;
struct darn_elision_group;
struct darn_match_wanted;
struct darn_rule;
struct darn_section_module;

struct darn_rule_point {
    uint64_t key;
    struct darn_rule *rule;
    struct darn_rule_point *next; /* with a key of the same bucket */
    uint8_t role;                 /* enum darn_section_role */
    uint8_t kind;                 /* enum darn_site_kind */
    uint8_t allow;
    uint32_t index; /* of an end: its number among those of the repository, or DARN_MATCH_NO_END */
    uint32_t at;    /* the line in the section's function */
    uint32_t sites; /* how many there are */
    _Atomic uint64_t seen, violated;
};

/* A site that is a point of a rule. */
struct darn_role {
    struct darn_rule *rule;
    struct darn_rule_point *point;
    const struct darn_site *site;
    uint32_t copy;          /* of the section's function that it is in; 0: it was not inlined */
    uint8_t role;           /* of the point: enum darn_section_role */
    struct darn_role *next; /* of the same rule */
};

struct darn_rule {
    const char *variable;
    const char *file;
    const char *function;
    const struct darn_match_wanted *wanted; /* what means it */
    uint32_t line;                          /* in the repository */
    uint8_t kind;                           /* enum darn_section_kind */
    uint16_t inside;
    uintptr_t token; /* of several variables that belong together, in the place of their addresses: the
                        same one for all sections over them; 0: it is over one */
    bool has_call; /* the entry counts only after a call that leads to it */
    uint32_t count;
    struct darn_rule_point *points;
    struct darn_role *roles;
    _Atomic uint32_t tries; /* how often somebody was watched in it */
    uint32_t holds;         /* threads that are in it, or on the way */
    bool invited;           /* who comes to its entry shall tell */
    struct darn_cure *cure; /* it is healed, not watched (cures.h): */
    uint8_t with;           /* how: enum darn_heal_with */
    bool companion; /* healed only where the cure's own sections have been (cures_match.c) */
    bool whole;     /* all of its ends are in a module: seen once */
    struct darn_elision_group *elision; /* of elision.c */
    uint8_t ops, allows; /* what it does, and others may do, enum darn_section_allow */
    struct darn_rule *next;
};

/* Says that the repository of this option is not used, and why. The exit status; 0: the program
 * runs without it. Nobody's service stays down because of a cure, and no program for want of
 * memory. */
int darn_rules_refuse(const char *option, const char *path, int error, const char *without);

/* Whether there was no memory for some of the rules. */
bool darn_rules_are_short(void);

/* The sections that a module has announced; its sites are known already. */
void darn_rules_module(const struct darn_site *start, const struct darn_site *stop,
                       const void *first_record, const void *last_record);

/* Who else goes by the sections of a module: healing. Called with the rules' lock held. */
struct darn_rules_client {
    void (*resolve)(const struct darn_section_module *module); /* before the sites match */
    void (*arm)(const struct darn_site *start, const struct darn_site *stop);
    void (*forget)(const struct darn_site *start, const struct darn_site *stop);
};

/* Before the first module. */
void darn_rules_serve(const struct darn_rules_client *client);

/* A module is unloaded: nothing of it is armed any more. */
void darn_rules_forget(const struct darn_site *start, const struct darn_site *stop);

/* Whether a section begins anywhere in the program. */
bool darn_rules_begin(void);

/* All of them, in the order of the repository. */
struct darn_rule *darn_rules(void);

/* Whether all its ends are in a module. */
bool darn_rule_is_whole(const struct darn_rule *rule);

/* What a site is in which rules. */
struct darn_roles {
    const struct darn_role *list;
    uint32_t count;
};

/* Asked by many accesses: no lock. */
struct darn_roles darn_rules_of(const struct darn_site *site);

/* Arms the places where sections begin, so that accesses there call, and disarms them again. */
void darn_rules_invite(bool on);

/* While a thread is in a section of the rule, its ends and ways out are armed. */
void darn_rules_hold(struct darn_rule *rule);
void darn_rules_release(struct darn_rule *rule);

/* From now on all sites of all rules are armed, and stay so. */
void darn_rules_arm_all(void);

/* In the child of fork: nobody holds anything. */
void darn_rules_before_fork(void);
void darn_rules_after_fork(bool child);

#endif
