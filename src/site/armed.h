/*
 * The armed byte of a site: all of its bits, whoever sets them.
 *
 * Not 0: every access at the site calls the runtime while attention is raised (guard.h). Several
 * parts of the runtime want to see the same site, for reasons of their own, so each has its bits,
 * adds and removes nothing else, and asks for nothing else. There are eight; what shares one can
 * never be set in the same process, and the assertions below say which these are.
 *
 *   bit             set by              in
 *   RECORD          profile, hook       runs that record, learn or watch with a profile;
 *                   control             controlled runs that learn
 *   SYNC_READ       profile, spins      runs that record, learn or watch
 *   SYNC_WRITE      profile, spins      the same
 *   SUSPECT         profile, spins      the same
 *   STEP            control             controlled runs
 *   RULE            rules               runs with a repository of sections to watch
 *   SCOPE           scopes              runs that watch, with annotations
 *   POINTER         hook                runs that record
 *   COLD            looks               runs that watch
 *   HEAL            cures               any run that heals
 *
 * Programs that are built to be healed (darn cc --only) have no bits: nothing is looked for in
 * them. Their guards compare the byte with one of the thread, and what it says is a level.
 */
#ifndef DARN_SITE_ARMED_H
#define DARN_SITE_ARMED_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "site/site.h"

enum darn_armed {
    DARN_ARMED_RECORD = 0x01,     /* touches shared memory: a trace records it */
    DARN_ARMED_SYNC_READ = 0x02,  /* the read of a spin */
    DARN_ARMED_SYNC_WRITE = 0x04, /* the store that ends one */
    DARN_ARMED_SUSPECT = 0x08,    /* a store that may end one */
    DARN_ARMED_STEP = 0x08,       /* a scheduling point of a controlled run */
    DARN_ARMED_RULE = 0x10,       /* a point of a section that is of interest now (rules.h) */
    DARN_ARMED_SCOPE = 0x20,      /* seen because of an annotation (scopes.c) */
    DARN_ARMED_HEAL = 0x40,       /* what a repository to be healed by names */
    DARN_ARMED_POINTER = 0x80,    /* a trace records which pointers it stores (record_pointer.c) */
    DARN_ARMED_COLD = 0x80,       /* it has seldom run: seen whenever it does (looks.h) */
};

/* What can be set at the same time, in runs that are not controlled and in those that are. */
#define DARN_ARMED_FREELY                                                                          \
    (DARN_ARMED_RECORD | DARN_ARMED_SYNC_READ | DARN_ARMED_SYNC_WRITE | DARN_ARMED_SUSPECT |       \
     DARN_ARMED_RULE | DARN_ARMED_SCOPE | DARN_ARMED_HEAL | DARN_ARMED_POINTER)
#define DARN_ARMED_CONTROLLED (DARN_ARMED_RECORD | DARN_ARMED_STEP | DARN_ARMED_HEAL)

/* Bits that overlap add up to more than they are together. */
static_assert(DARN_ARMED_RECORD + DARN_ARMED_SYNC_READ + DARN_ARMED_SYNC_WRITE +
                      DARN_ARMED_SUSPECT + DARN_ARMED_RULE + DARN_ARMED_SCOPE + DARN_ARMED_HEAL +
                      DARN_ARMED_POINTER ==
                  DARN_ARMED_FREELY,
              "two who arm sites of the same run share a bit");
static_assert(DARN_ARMED_RECORD + DARN_ARMED_STEP + DARN_ARMED_HEAL == DARN_ARMED_CONTROLLED,
              "two who arm sites of a controlled run share a bit");
static_assert(DARN_ARMED_FREELY <= UINT8_MAX && DARN_ARMED_CONTROLLED <= UINT8_MAX,
              "the armed byte is one");

/* In programs that are built to be healed: who calls at the site. */
enum darn_level {
    DARN_LEVEL_NONE = 0,               /* nobody */
    DARN_LEVEL_LEAVE = 1,              /* a way out: who is in a section */
    DARN_LEVEL_ELIDED = 2,             /* the same, and who holds no lock of the program's own */
    DARN_LEVEL_HEAL = DARN_ARMED_HEAL, /* everybody */
};

/* What the thread has in its own byte (runtime/thread/own.h): who is in a section 0, else one of
 * these. A guard calls if the level is higher. */
#define DARN_LIMIT_IDLE   0x01
#define DARN_LIMIT_LOCKED 0x3f /* it holds a lock of the program's own */

static_assert(DARN_LEVEL_LEAVE > 0 && DARN_LEVEL_LEAVE <= DARN_LIMIT_IDLE,
              "ways out are for those who are in a section");
static_assert(DARN_LEVEL_ELIDED > DARN_LIMIT_IDLE && DARN_LEVEL_ELIDED <= DARN_LIMIT_LOCKED,
              "elision is for those who hold a lock, and nobody else");
static_assert(DARN_LEVEL_HEAL > DARN_LIMIT_LOCKED, "at other sites everybody calls");

static inline uint8_t darn_armed(const struct darn_site *site)
{
    return __atomic_load_n(darn_site_armed(site), __ATOMIC_RELAXED);
}

/* Others may do the same with their bits meanwhile. */
static inline void darn_armed_add(const struct darn_site *site, unsigned bits)
{
    __atomic_fetch_or(darn_site_armed(site), (uint8_t)bits, __ATOMIC_RELAXED);
}

static inline void darn_armed_remove(const struct darn_site *site, unsigned bits)
{
    __atomic_fetch_and(darn_site_armed(site), (uint8_t)~bits, __ATOMIC_RELAXED);
}

static inline void darn_armed_set_level(const struct darn_site *site, enum darn_level level)
{
    __atomic_store_n(darn_site_armed(site), (uint8_t)level, __ATOMIC_RELAXED);
}

/* Whether an access that has called is to be healed, because of the site. `levels`: in a program
 * that is built for that. */
static inline bool darn_armed_is_healed(uint8_t armed, bool levels)
{
    return levels ? armed >= DARN_LEVEL_ELIDED : armed & DARN_ARMED_HEAL;
}

#endif
