/* What the files of trust share. */
#ifndef DARN_RUNTIME_TRUST_PARTS_H
#define DARN_RUNTIME_TRUST_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/section/rules.h"
#include "runtime/watch/touch.h"
#include "site/site.h"

enum darn_trust_state {
    DARN_TRUST_WATCHED, /* everybody calls */
    DARN_TRUST_TRIED,   /* the same, while it is looked who is in sections */
    DARN_TRUST_GIVEN,   /* who holds a lock does not */
    DARN_TRUST_LOST,    /* everybody calls, for ever */
};

/* A site. */
struct darn_trust_member {
    _Alignas(64) const struct darn_site *site;
    struct darn_trust_group *group; /* NULL: its module is gone */
    struct darn_roles roles;        /* what the site is in which rules */
    struct darn_trust_member *next; /* of the same group */
    bool is_point;                  /* of a section that the repository has, */
    bool is_wary;                   /* and of one that may give locks back: it always calls */
    bool is_read;                   /* no point of anything, and only reads */
    bool is_end;                    /* of sections, and no beginning of any */
    bool writes;                    /* a point of a section that does */
    bool is_far;                    /* it is not armed: trust_far.c */
    uint8_t near;                   /* how often it was found where a section had been, */
    _Atomic uint32_t far;           /* and how often elsewhere, since then */
    _Atomic uint32_t visits;        /* under the same lock as before */
};

struct darn_trust_group {
    struct darn_trust_group *in; /* it is a part of this one; NULL: it stands for itself */
    _Atomic uint32_t state;      /* enum darn_trust_state */
    _Atomic uint32_t visits;     /* under locks, since the last one without, */
    _Atomic uint32_t wanted;     /* and how many there have to be; */
    _Atomic uint32_t others;     /* under another lock than before */
    _Atomic uint64_t until;      /* somebody may be in a section unseen; 0: nobody */
    _Atomic uint32_t far;        /* members that are not armed */
    _Atomic uint32_t entered;    /* sections, while there are such */
    bool reads_matter;           /* a section does not allow that others read meanwhile */
    bool has_reads, has_others;  /* members that are points of no section: reads, and the rest */
    struct darn_trust_member *members;
};

/* NULL: nothing is known of the site. The group stands for itself. */
struct darn_trust_member *darn_trust_find(const struct darn_site *site,
                                          struct darn_trust_group **group);

/* That of which it is a part; NULL is a part of nothing. */
struct darn_trust_group *darn_trust_whole(const struct darn_trust_group *group);

/* When a wait that begins now is over at the latest. */
uint64_t darn_trust_bound(void);

/* The group is not trusted any more. While the lock below is held. */
void darn_trust_end_with(struct darn_trust_group *group, uint32_t state);

/* A lock of states, levels and lists; signals are blocked meanwhile. */
uint64_t darn_trust_begin(void);
void darn_trust_end(uint64_t mask);

/* What the armed byte says: for one member, or for all. */
void darn_trust_set_level(const struct darn_trust_member *member);
void darn_trust_set_levels(const struct darn_trust_group *group);

/* Whether the site has been seen often enough to be trusted with its group. */
bool darn_trust_is_known(const struct darn_trust_member *member);

/* ---- trust_far.c ---- */

/* 0, or -1 when there is no memory. */
int darn_trust_far_open(void);

/* Whether the members that are not armed were looked at often enough, while sections were entered.
 */
bool darn_trust_far_is_settled(const struct darn_trust_group *group);

/* An access at a site that is no point of a section. */
void darn_trust_far_visit(struct darn_trust_member *member, struct darn_trust_group *group,
                          const struct darn_touch *touch);

#endif
