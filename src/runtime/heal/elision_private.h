/* What the files of lock elision share. */
#ifndef DARN_RUNTIME_ELISION_PRIVATE_H
#define DARN_RUNTIME_ELISION_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/section/rules.h"
#include "runtime/watch/touch.h"
#include "site/site.h"

enum darn_elision_state {
    DARN_ELISION_WATCHED, /* everybody calls */
    DARN_ELISION_TRIED,   /* the same, while it is looked who is in sections */
    DARN_ELISION_ON,      /* who holds a lock does not */
    DARN_ELISION_NEVER,   /* everybody calls, for ever */
};

/* A site. */
struct darn_elision_member {
    _Alignas(64) const struct darn_site *site;
    struct darn_elision_group *group; /* NULL: its module is gone */
    struct darn_roles roles;          /* what the site is in which rules */
    struct darn_elision_member *next; /* of the same group */
    bool may_release;                 /* of a section that may give locks back: it always calls */
    bool is_read;                     /* no point of anything, and only reads */
    bool is_end;                      /* of sections, and no beginning of any */
    bool writes;                      /* a point of a section that does */
    _Atomic uint32_t visits;          /* under the same lock as before */
};

struct darn_elision_group {
    struct darn_elision_group *in; /* it is a part of this one; NULL: it stands for itself */
    _Atomic uint32_t state;        /* enum darn_elision_state */
    _Atomic uint32_t visits;       /* under locks, since the last one without */
    _Atomic uint32_t others;       /* under another lock than before */
    _Atomic uint64_t until;        /* somebody may be in a section unseen; 0: nobody */
    bool reads_matter;             /* a section does not allow that others read meanwhile */
    struct darn_elision_member *members;
};

/* NULL: nothing is known of the site. The group stands for itself. */
struct darn_elision_member *darn_elision_find(const struct darn_site *site,
                                              struct darn_elision_group **group);

/* That of which it is a part; NULL is a part of nothing. */
struct darn_elision_group *darn_elision_whole(const struct darn_elision_group *group);

/* When a wait that begins now is over at the latest. */
uint64_t darn_elision_bound(void);

/* The group is not elided any more. While the lock below is held. */
void darn_elision_end(struct darn_elision_group *group, uint32_t state);

/* A lock of states, levels and lists; signals are blocked meanwhile. */
uint64_t darn_elision_lock(void);
void darn_elision_unlock(uint64_t mask);

/* What the armed byte says: for one member, or for all. */
void darn_elision_set_level(const struct darn_elision_member *member);
void darn_elision_set_levels(const struct darn_elision_group *group);

/* Whether the site has been seen often enough to be elided with its group. */
bool darn_elision_is_known(const struct darn_elision_member *member);

#endif
