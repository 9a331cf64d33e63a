/*
 * The section record: a piece of code that its author probably meant to be atomic with respect to
 * one variable (AtomRace 3.2 and 4).
 *
 * The plugin writes the records into the ELF section "darn_sections"; tools read them from the
 * file, the runtime finds them through darn_module_sections. A record is constant and needs no
 * relocation at load time. It names sites by their keys: the same access may have several site
 * records, one for each place that its function was inlined into.
 *
 * A thread is inside from its ENTRY, an access, until it comes to an END, an access to the same
 * variable, or to a LEAVE, a place from which no end can be reached any more. Whatever leaves the
 * function without passing one of them (longjmp, exceptions, the end of the thread) leaves the
 * section, too: the runtime notices these by itself.
 *
 * Records follow each other without gaps, and each says how long it is: a record may have texts
 * behind its points, its own and those of records before it.
 */
#ifndef DARN_SITE_SECTION_H
#define DARN_SITE_SECTION_H

#include <assert.h>
#include <stdint.h>

#include "site/site.h"

#define DARN_SECTIONS_SECTION "darn_sections"
#define DARN_SECTION_VERSION  2

/* A record has at most this many points; what would need more is not recorded. */
#define DARN_SECTION_POINTS 64

enum darn_section_kind {
    DARN_SECTION_LOAD_STORE, /* a value is read, and what was computed from it is written back */
    DARN_SECTION_TEST_USE,   /* a value is tested, and read or written again where the test leads */
    DARN_SECTION_PAIR,       /* two accesses that follow each other (an AI pair) */
    DARN_SECTION_LEARNED,    /* a pair that was never interrupted in runs that went well */
    DARN_SECTION_HAND,       /* somebody wrote it down */
    DARN_SECTION_RACE,       /* one access that races: in a repository only, for healing */
    DARN_SECTION_ORDER,      /* the entry is to come before the end, in whatever threads: likewise */
    DARN_SECTION_TOGETHER,   /* the entry and the ends are of variables that belong together: likewise */
    DARN_SECTION_KINDS,
};

/* What stands between entry and ends, or is called there: healing asks. */
enum darn_section_inside {
    DARN_SECTION_SYNC = 1 << 0,    /* synchronization: locks, waits, atomic operations, joins */
    DARN_SECTION_CALLS = 1 << 1,   /* calls, of functions whose code is known */
    DARN_SECTION_UNKNOWN = 1 << 2, /* calls of functions whose code is not known */
    DARN_SECTION_LOOPS = 1 << 3,   /* a loop: how long it takes is not known */
    DARN_SECTION_ACROSS = 1 << 4,  /* an entry or an end is in a function that is called */
};

enum darn_section_role {
    DARN_ROLE_ENTRY,
    DARN_ROLE_END,
    DARN_ROLE_LEAVE, /* a site of kind DARN_SITE_LEAVE */
    DARN_ROLE_CALL,  /* a site of kind DARN_SITE_CALL: the entry is in the function called next */
    DARN_ROLES,
};

/* The operations of other threads that do no harm inside: AtomRace's set A. */
enum darn_section_allow {
    DARN_ALLOW_READ = 1 << 0,
    DARN_ALLOW_WRITE = 1 << 1,
    DARN_ALLOW_ALL = DARN_ALLOW_READ | DARN_ALLOW_WRITE,
};

struct darn_section_point {
    uint64_t key;  /* darn_site_key */
    uint32_t line; /* in the section's function: of the access, or of the call that leads to it */
    uint8_t role;  /* enum darn_section_role */
    uint8_t kind;  /* of the site: enum darn_site_kind */
    uint8_t allow; /* of an end: enum darn_section_allow, or-ed */
    uint8_t reserved;
};

struct darn_section_record {
    uint32_t size; /* of the record with its points and what stands behind them, in bytes */
    uint8_t version;
    uint8_t kind;     /* enum darn_section_kind */
    uint16_t inside;  /* enum darn_section_inside, or-ed */
    int32_t file;     /* strings, named as those of a site: where the function is, */
    int32_t function; /* the function from the first point to the last, */
    int32_t variable; /* the variable, */
    int32_t type;     /* and the struct that it is a member of; empty: that is not known */
    uint32_t count;   /* of points: one entry, at least one end */
    uint32_t unused;
    struct darn_section_point points[];
};

static_assert(sizeof(struct darn_section_point) == 16, "the plugin writes points of this size");
static_assert(sizeof(struct darn_section_record) == 32, "the plugin writes records of this size");

/*
 * AtomRace, table 1: which operations of others between these two are as if they had come before or
 * after both. What reads and writes at once ends like a read and begins like a write.
 */
static inline uint8_t darn_section_allows(uint8_t entry_kind, uint8_t end_kind)
{
    int wrote = entry_kind != DARN_SITE_READ;
    int writes = end_kind == DARN_SITE_WRITE;

    return wrote && writes ? DARN_ALLOW_WRITE : DARN_ALLOW_READ;
}

#endif
