/*
 * Healing: sections that are known stay atomic (AtomRace, section 5).
 *
 * A thread that comes to the entry of a section takes hold of the variable (hold.h) until its end;
 * whoever would harm the section meanwhile waits. Other accesses to the variable take hold of it
 * for the moment of the access. No wait is without bound, and none is begun that would close a
 * circle with the program's own locks.
 */
#ifndef DARN_RUNTIME_HEAL_H
#define DARN_RUNTIME_HEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"

/* There is something to heal. */
extern bool darn_healing;

/* There is a repository, which may have nothing in it: at the end that is told. */
extern bool darn_heal_is_open;

/* The program handles signals. */
extern bool darn_heal_signals;

/* The process is a child of the one that was started. */
extern bool darn_heal_is_child;

/* Reads the repository that the options name; 0 or an exit status. */
int darn_heal_open(void);

/* An access of the thread that follows at once. First in the hook. */
void darn_heal_access(struct darn_thread *thread, const struct darn_touch *touch,
                      const void *frame);

/* The thread leaves the hook, and makes the access. Last in the hook. */
void darn_heal_linger(struct darn_thread *thread);

/* The access was made: what ended with it has ended. `frame` is that of the hook that tells; NULL:
 * the thread is in a call. */
void darn_heal_done(struct darn_thread *thread, const void *frame);

/* The sections of the calling thread that are left to the program's locks (elision.h) are held like
 * others from now on: a lock is given back, or the thread waits. */
void darn_heal_show(struct darn_thread *thread);

/* A way out of sections, a call that leads into one. `frame` is that of the hook. */
void darn_heal_leave(struct darn_thread *thread, const struct darn_site *site, const void *frame);
void darn_heal_call(struct darn_thread *thread, const struct darn_site *site, const void *frame);

/* The thread throws; jumps, to where the stack pointer is `to`; ends. Perhaps in a signal handler
 * that came while it was in one of the above. */
void darn_heal_abandon(struct darn_thread *thread);
void darn_heal_jump(struct darn_thread *thread, uintptr_t to);
void darn_heal_end(struct darn_thread *thread);

/* Two accesses were found to do harm: what they belong to is healed from now on. Either may be
 * NULL. */
void darn_heal_learn(const struct darn_site *one, const struct darn_site *other);
void darn_heal_write_learned(void);

/* Heals one more section in the modules that are there. With darn_rules_lock; not in a production
 * build. NULL: there is no memory. */
struct darn_section;
struct darn_cure *darn_heal_adopt(const struct darn_section *section);

/* The account so far, in the file of heal_out with `.now` at its end. */
void darn_heal_write_now(void);

/* At the end of the program: writes the counts, says what could not be healed. */
void darn_heal_finish(void);

/* A child of fork counts from 0. */
void darn_heal_count_anew(void);

/* The process becomes another program: what was counted and learned so far is written. */
void darn_heal_keep(void);

void darn_heal_before_fork(void);
void darn_heal_after_fork(bool child);

#endif
