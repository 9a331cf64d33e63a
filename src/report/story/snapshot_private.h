/*
 * What the files snapshot_*.c share: how addresses of a control block are looked up.
 */
#ifndef DARN_REPORT_SNAPSHOT_PRIVATE_H
#define DARN_REPORT_SNAPSHOT_PRIVATE_H

#include "report/story/snapshot.h"
#include "report/story/snapshot_image.h"

/* The path of the module that has the address, in the pool, and the address that the file has for
 * it. NULL when none has. */
const char *darn_snapshot_locate(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                                 uint64_t address, uint64_t *offset);

/* The site whose record is at the place. */
bool darn_snapshot_site(const struct darn_snapshot *snapshot, uint64_t place,
                        struct darn_image_site *site);

/* Whether the place of such a step is a site record. */
bool darn_snapshot_has_site(enum darn_step_op op);

/* How many steps the table has. */
uint64_t darn_snapshot_steps(const struct darn_snapshot *snapshot);

/* How many threads the result describes, and how many locks such a thread holds. */
uint32_t darn_snapshot_threads(const struct darn_snapshot *snapshot);
uint32_t darn_snapshot_locks(const struct darn_block_thread *thread);

/* What the result says about a thread; NULL when nothing. */
const struct darn_block_thread *darn_snapshot_thread(const struct darn_snapshot *snapshot,
                                                     uint32_t thread);

/* Where the code at `back` bytes before the place comes from: of the functions that were inlined
 * there, the one that people look for. Nothing of the C library and of the runtime. */
struct darn_snapshot_place darn_snapshot_code(const struct darn_snapshot *snapshot,
                                              struct darn_text_pool *pool, uint64_t place,
                                              uint64_t back);

/* Whether it is the first byte of a function. */
bool darn_snapshot_is_entry(const struct darn_snapshot *snapshot, uint64_t place);

/* snapshot_sanitizer.c: which error a sanitizer has reported, in words; who was where goes to the
 * thread, as far as it says that. NULL when there is no report. */
const char *darn_snapshot_sanitizer(const struct darn_snapshot *snapshot,
                                    struct darn_text_pool *pool, struct darn_block_thread *thread);

/* The symbol that has the address, if it is a global. */
struct darn_symbol darn_snapshot_symbol(const struct darn_snapshot *snapshot,
                                        struct darn_text_pool *pool, uint64_t address);

/* `mutex`, `read`, `write`, `cond`, `semaphore`, …: what such a step is about; NULL: no lock. */
const char *darn_snapshot_target_kind(enum darn_step_op op);

/* The kind of a lock that the thread holds, by how it took it. */
const char *darn_snapshot_held_kind(const struct darn_snapshot *snapshot, uint32_t thread,
                                    uint64_t lock);

/* The function that a thread began with, as far as its first step, a stack or the source of its
 * creation tell; NULL when it is not known. */
const char *darn_snapshot_start(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                                uint32_t thread);

/* The same by the source of its creation alone. */
const char *darn_snapshot_started(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                                  uint64_t creation);

/* `q->lock`: what the source hands to the call at the place, of those that synchronize or free.
 * NULL when that cannot be seen. */
const char *darn_snapshot_argument(struct darn_text_pool *pool,
                                   const struct darn_snapshot_place *place);

/* The step that has created the thread; NULL when it is not in the table. */
const struct darn_step *darn_snapshot_creation(const struct darn_snapshot *snapshot,
                                               uint32_t thread);

/* An access, or what else a thread does or waits for, without symbols yet. */
void darn_snapshot_access(const struct darn_snapshot *snapshot, struct darn_finding *finding,
                          const struct darn_block_thread *thread,
                          struct darn_finding_access *access);

/* Starts a confirmed finding with room for so many accesses. Never NULL. */
struct darn_finding *darn_snapshot_finding(const struct darn_snapshot *snapshot, const char *kind,
                                           const char *engine, size_t accesses);

/* Names the threads of its accesses, and resolves it. */
void darn_snapshot_complete(const struct darn_snapshot *snapshot, struct darn_finding *finding);

/* Whether the thread cannot go on. When nobody can, that holds for those who seem to be ready as
 * well. */
bool darn_snapshot_is_blocked(const struct darn_snapshot *snapshot,
                              const struct darn_block_thread *thread);

/* The shortest circle of threads of the result that wait for each other, as their indices: each
 * waits for the next, the last for the first. Returns its length, 0 for none. `circle` has room for
 * DARN_BLOCK_THREADS. */
size_t darn_snapshot_circle(const struct darn_snapshot *snapshot, uint32_t *circle);

#endif
