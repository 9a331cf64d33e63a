/*
 * Atomic sections (AtomRace, figure 3): threads that are inside one, and what others do meanwhile.
 *
 * A thread enters at the entry's hook, right before that access. Whoever comes to an access of the
 * same variable meanwhile is noted as a suspect; when the thread reaches an end, the suspects are
 * compared with what that end allows. No synchronization stands between a hook and its access, so
 * a suspect was free to go on, whatever the program uses to synchronize. Noise goes inside: while
 * the thread is in a section and holds no lock of the program, before a call that synchronizes, or
 * else right before the end.
 *
 * Which sections are watched when is the sampler's business, as with windows; with noise for
 * sections, all are, always.
 */
#ifndef DARN_RUNTIME_SECTIONS_H
#define DARN_RUNTIME_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"

/* There are sections to obey, from a repository or in the program itself. */
extern bool darn_sections;

/* Reads the repository that the options name; 0 or an exit status. */
int darn_sections_open(void);

/* What the thread's access means for its own sections: it may end some and begin others. First in
 * the hook. */
void darn_sections_access(struct darn_thread *thread, const struct darn_touch *touch,
                          const void *frame);

/* What it means for the sections of others. Last in the hook: the access follows at once. */
void darn_sections_meet(struct darn_thread *thread, const struct darn_touch *touch,
                        const void *frame);

/* A way out of sections, a call that leads into one. `frame` is that of the hook. */
void darn_sections_leave(struct darn_thread *thread, const struct darn_site *site,
                         const void *frame);
void darn_sections_call(struct darn_thread *thread, const struct darn_site *site,
                        const void *frame);

/* Before a call that synchronizes. */
void darn_sections_at_call(struct darn_thread *thread);

/* The thread leaves all of its sections: it jumps, throws, or ends. */
void darn_sections_abandon(struct darn_thread *thread);

/* Whether there is any section that somebody could come into: else nobody need be invited. */
bool darn_sections_exist(void);

/* Lets up to one thread be watched in a section; takes that back. */
void darn_sections_invite(bool on);
bool darn_sections_invited(void);

/* Those that others can run into. */
bool darn_sections_are_open(void);
bool darn_sections_each(void (*visit)(uintptr_t address, uint32_t size));

/* Whether every access shall call: a thread is in a function that is annotated. */
bool darn_sections_want_all(void);

/* Threads that are inside for longer than this, in nanoseconds, are not watched any further. */
void darn_sections_expire(uint64_t longest);

/* At the end of the program: writes the counts, and says which sections the program does not have.
 */
void darn_sections_finish(void);

void darn_sections_before_fork(void);
void darn_sections_after_fork(bool child);

#endif
