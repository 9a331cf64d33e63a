/*
 * The site record: one static memory access of the source.
 *
 * It is the contract between the plugin, which writes the records into the ELF section
 * "darn_sites", the runtime, which is handed the address of a record by every hook, and the
 * tools, which read the section from the file. A record is constant and needs no relocation
 * at load time.
 *
 * The records of a file are one table, and those of each inline function that the linker may drop
 * are one. A table begins with its head, a record that is no site. The head alone says, by
 * distances, where the table's texts and armed bytes are: all else is known where it is compiled,
 * so that a table of any size has two relocations and is plain bytes for the compiler.
 */
#ifndef DARN_SITE_SITE_H
#define DARN_SITE_SITE_H

#include <assert.h>
#include <stdint.h>

#include "base/hash.h"

/* The name of darn_module_init in object files. Linked by gcc or a plain clang they lack it, and
 * its name is the last line that the linker prints: it says what to do. */
#define DARN_MODULE_INIT "darn_module_init__link_this_with_darn_cc"

#define DARN_SITE_SECTION  "darn_sites"
#define DARN_TEXTS_SECTION "darn_texts"
#define DARN_ARMED_SECTION "darn_armed" /* what is written of the records */

/* In .comment, with one letter behind it: the level of optimization of a file that has sites. */
#define DARN_LEVEL_IDENT "darn -O"

/* Raised whenever the layout or the meaning of a field changes. */
#define DARN_SITE_VERSION 6

enum darn_site_kind {
    DARN_SITE_READ,
    DARN_SITE_WRITE,
    DARN_SITE_UPDATE, /* reads and writes at once: an atomic read-modify-write */
    DARN_SITE_FENCE,
    DARN_SITE_WAIT,     /* a call that waits for a condition variable; `variable` names what the
                           loop around it tests, sorted and separated by blanks */
    DARN_SITE_FUNCTION, /* the beginning and the ends of a function */
    DARN_SITE_LEAVE,    /* no access: a way out of a section (section.h) */
    DARN_SITE_CALL,     /* no access: a call that leads into a section */
    DARN_SITE_HEAD,     /* no site: what a table begins with */
    DARN_SITE_KINDS,
};

enum darn_site_flag {
    DARN_SITE_ATOMIC = 1 << 0,
    DARN_SITE_VOLATILE = 1 << 1,
    DARN_SITE_RANGE = 1 << 2, /* size is known at run time only: memcpy and relatives */
    DARN_SITE_GAPS = 1 << 3,  /* a vector access that uses only some bytes: see darn_scope */
    DARN_SITE_VALUE = 1 << 4, /* a write whose value is handed to the hook */
    DARN_SITE_ASSERT_WRITER = 1 << 5, /* not an access: an assertion of darn.h */
    DARN_SITE_ASSERT_ACCESS = 1 << 6,
    DARN_SITE_SPIN = 1 << 7,     /* a read in a loop that only waits for the value to change */
    DARN_SITE_ACQUIRES = 1 << 8, /* atomic: memory order acquire or stronger */
    DARN_SITE_RELEASES = 1 << 9, /* atomic: memory order release or stronger */
    DARN_SITE_EXTRA = 1 << 10,   /* another access covers it; seen only when its site is armed */
    DARN_SITE_COVERS = 1 << 11,  /* a write that stands for a read of the same bytes, too */
    DARN_SITE_LOCAL = 1 << 12,   /* a function that other files cannot call: static */
    DARN_SITE_AFTER = 1 << 13,   /* darn_hook_done is called behind the access, too */
    DARN_SITE_POINTER = 1 << 14, /* what it writes may be a pointer; the hook gets it */
    DARN_SITE_LATER = 1 << 15,   /* the hooks of other accesses come first, and only then these */

    /* Of an atomic update: nobody looks at what was there before. */
    DARN_SITE_DROPS = 1 << 12,

    /* Of a read in a loop that waits: it only tells where the atomic variable lies. */
    DARN_SITE_LEADS = 1 << 14,

    /* Of a function only: */
    DARN_SITE_UNIT = 1 << 14,    /* a function, or a block in one, that is annotated as atomic */
    DARN_SITE_NO_UNIT = 1 << 15, /* a function that is annotated as not atomic, or of the library */
};

struct darn_site {
    uint32_t place; /* which of its table; the head has 0 */
    union {
        uint32_t scope; /* where among the texts its struct darn_scope is */
        int32_t texts;  /* of a head: from this field to the texts */
    };
    union {
        uint32_t variable; /* where among the texts: `balance`, `acct->balance`, `tab[].next`;
                              empty when unknown */
        int32_t armed;     /* of a head: from this field to the table's armed bytes */
    };
    uint32_t line;
    uint16_t column;
    uint16_t
        size; /* in bytes; with DARN_SITE_RANGE the number of the function (site_calls.h), or 0 */
    uint8_t kind; /* enum darn_site_kind */
    uint8_t version;
    uint16_t flags; /* enum darn_site_flag, or-ed */
};

static_assert(sizeof(struct darn_site) == 24, "the plugin writes records of this size");

/* What many sites have in common. Texts are named by where they are among the table's. */
struct darn_scope {
    uint32_t file;     /* as named on the compiler's command line */
    uint32_t dir;      /* the directory the compiler ran in */
    uint32_t function; /* the source function, also when it was inlined */
    /* Lower half first. With DARN_SITE_GAPS: bit i is set if byte i is really accessed. Else
     * darn_site_inlined; 0 when the function was not inlined. */
    uint32_t gaps[2];
};

static_assert(sizeof(struct darn_scope) == 20, "the plugin writes scopes of this size");

/* The string that a self-relative field names. */
static inline const char *darn_site_string(const int32_t *field)
{
    return (const char *)field + *field;
}

static inline const char *darn_site_texts(const struct darn_site *site)
{
    return darn_site_string(&(site - site->place)->texts);
}

/* NULL of a head, and of a record by itself, which have no names. */
static inline const struct darn_scope *darn_site_scope(const struct darn_site *site)
{
    return site->place
               ? (const struct darn_scope *)(const void *)(darn_site_texts(site) + site->scope)
               : NULL;
}

static inline const char *darn_site_file(const struct darn_site *site)
{
    return site->place ? darn_site_texts(site) + darn_site_scope(site)->file : "";
}

/* Where the file is. With a slash at its end it belongs to the name by which people know the file:
 * `/home/me/` and `src/bank.c`. Keys have the file alone. */
static inline const char *darn_site_dir(const struct darn_site *site)
{
    return site->place ? darn_site_texts(site) + darn_site_scope(site)->dir : "";
}

static inline const char *darn_site_function(const struct darn_site *site)
{
    return site->place ? darn_site_texts(site) + darn_site_scope(site)->function : "";
}

static inline const char *darn_site_variable(const struct darn_site *site)
{
    return site->place ? darn_site_texts(site) + site->variable : "";
}

/*
 * The bytes of sites stand in chunks: the armed bytes of so many sites, then the bytes that the
 * guards of these sites look at. A guard that stands for several accesses has one of these.
 */
#define DARN_ARMED_TOGETHER 16
#define DARN_ARMED_CHUNK    (2 * DARN_ARMED_TOGETHER)

/* Where the armed byte is, of a table's. */
static inline uint32_t darn_armed_place(uint32_t place)
{
    return place / DARN_ARMED_TOGETHER * DARN_ARMED_CHUNK + place % DARN_ARMED_TOGETHER;
}

/* Not 0: every access at this site calls the runtime while its guard looks any further. */
static inline volatile uint8_t *darn_site_armed(const struct darn_site *site)
{
    const int32_t *field = &(site - site->place)->armed;

    return (volatile uint8_t *)((uintptr_t)field + (uintptr_t)(intptr_t)*field +
                                darn_armed_place(site->place));
}

/* Not 0: the guard looks further (site_guard.h). */
static inline volatile uint8_t *darn_site_look(const struct darn_site *site)
{
    return darn_site_armed(site) + DARN_ARMED_TOGETHER;
}

/* The key of a site that is not in this process: its texts were found by other means. */
static inline uint64_t darn_site_key_of(const struct darn_site *site, const char *file,
                                        const char *function)
{
    uint64_t key = darn_hash_string(DARN_HASH_START, file);

    key = darn_hash_string(key, function);
    key = darn_hash_number(key, site->line);
    key = darn_hash_number(key, (uint32_t)site->column << 8 | site->kind);
    return key ? key : 1;
}

/* Tells the places of a source apart, and is the same in every run and build of it: the name of a
 * site in profiles. Never 0. */
static inline uint64_t darn_site_key(const struct darn_site *site)
{
    return darn_site_key_of(site, darn_site_file(site), darn_site_function(site));
}

/*
 * Copies of an inlined function are told apart by the call in whose place each was put, and by the
 * calls around that. The lower half of what a record has (darn_site_inlined) is the call, the upper
 * half stands for the rest. Neither is 0 where there is one.
 */
static inline uint32_t darn_site_call_of(const char *function, uint32_t line)
{
    uint64_t hash = darn_hash_number(darn_hash_string(DARN_HASH_START, function), line);

    return (uint32_t)(hash ^ hash >> 32) | 1;
}

/* A call, and what stands for those around it. */
static inline uint32_t darn_site_calls(uint32_t call, uint32_t around)
{
    uint64_t hash = darn_hash_number(darn_hash_number(DARN_HASH_START, call), around);

    return (uint32_t)(hash ^ hash >> 32) | 1;
}

static inline uint64_t darn_scope_gaps(const struct darn_scope *scope)
{
    return scope ? scope->gaps[0] | (uint64_t)scope->gaps[1] << 32 : 0;
}

static inline uint64_t darn_site_inlined(const struct darn_site *site)
{
    return site->flags & DARN_SITE_GAPS ? 0 : darn_scope_gaps(darn_site_scope(site));
}

/* Which bytes are accessed, or 0: all. */
static inline uint64_t darn_site_gaps(const struct darn_site *site)
{
    return site->flags & DARN_SITE_GAPS ? darn_scope_gaps(darn_site_scope(site)) : 0;
}

/* Which copy of a function it belongs to: of its own, or of the one that calls that. */
static inline uint32_t darn_site_copy_of(uint64_t inlined, int own)
{
    uint32_t call = (uint32_t)inlined, around = (uint32_t)(inlined >> 32);

    return !own ? around : call ? darn_site_calls(call, around) : 0;
}

static inline int darn_site_writes(const struct darn_site *site)
{
    return site->kind == DARN_SITE_WRITE || site->kind == DARN_SITE_UPDATE;
}

/* Whether what a site of this kind, with these flags, writes is a pointer for certain: of atomics
 * only the size is known. */
static inline int darn_site_stores_pointer(uint8_t kind, uint16_t flags)
{
    return kind == DARN_SITE_WRITE && flags & DARN_SITE_POINTER && !(flags & DARN_SITE_ATOMIC);
}

#endif
