/*
 * darn heal: signatures of deadlocks (section/deadlock.h), which the runtime makes gates of.
 *
 * The heal command keeps them in a zeroed list of words, one signature each, as the repository has
 * it, and calls
 *
 *     darn_heal_deadlocks_from     for each finding that it is given,
 *     darn_heal_deadlocks_resolve  for the repository that it is given,
 *     darn_heal_deadlocks_write    when it writes the repository for the runtime, between the
 *                                  bracket that closes the last list (`]`, no newline) and the
 *                                  brace that closes the file (`}\n`).
 *
 * words.count is the number of signatures; darn_words_free ends them.
 */
#ifndef DARN_DRIVER_HEAL_DEADLOCK_H
#define DARN_DRIVER_HEAL_DEADLOCK_H

#include <stdio.h>

#include "driver/process/listener.h"
#include "base/words.h"
#include "report/finding.h"

/* Why nothing can be made of a finding, in words without a newline: "two threads …". */
struct darn_heal_why {
    char text[512];
};

/*
 * Makes the signature of one finding, a deadlock, as it was reported. The modules that it names are
 * read, for their builds. 1: appended; 0: it is none, or its signature is there already; -1: nothing
 * can be made of it.
 */
int darn_heal_deadlocks_from(const struct darn_finding *finding, struct darn_words *signatures,
                             struct darn_heal_why *why);

/* The same for an order. */
int darn_heal_order_from(const struct darn_finding *finding, struct darn_words *signatures,
                         struct darn_heal_why *why);

/* An order between critical sections, of a failure: `directory` has its schedule and its story;
 * empty: nothing is known. */
int darn_heal_switch_from(const struct darn_finding *failure, const char *directory,
                          struct darn_words *signatures, struct darn_heal_why *why);

/* Takes three accesses, the first and the last by the thread that one switch has interrupted between
 * them, and one by another thread from then on. Whether these are what is looked for. */
struct darn_heal_torn {
    bool (*take)(void *context, const struct darn_finding_access three[3]);
    void *context;
};

/* Offers those of a failure until one is taken: the shortest way of the interrupted thread first. */
bool darn_heal_torn_from(const char *directory, const struct darn_heal_torn *torn);

/* That a race leads to a failure is clear from so many runs, if it was the same in all of them. */
#define DARN_HEAL_CLEAR 3

/* Which access of a race ends the life of what the other one uses, or is a part of that end: as one
 * of the other findings says, or because the runs failed whichever came first; -1: none. */
int darn_heal_ender(const struct darn_finding *finding, struct darn_finding *const *others,
                    size_t count);

/* An order again: the end waits for the threads that use it, from where they are started. */
int darn_heal_life_from(const struct darn_finding *finding, int ender,
                        struct darn_words *signatures, struct darn_heal_why *why);

/*
 * Appends the signatures of a repository, for this program: what is from another build of it is
 * found again by functions, lines and calls. What cannot be found is told to the listener, and
 * appended as it is, so that the runtime counts it as not matched. Signatures of other modules than
 * the program stay as they are. How many are not found, or -1 when the file cannot be read.
 */
int darn_heal_deadlocks_resolve(struct darn_listener *listener, const char *repository,
                                const char *program, struct darn_words *signatures);

struct darn_deadlock;

/* Appends one signature: 1; 0 when it is there already, -1 when it is too long. */
int darn_heal_deadlocks_add(struct darn_words *signatures, const struct darn_deadlock *deadlock);

/* How many of them are orders. */
size_t darn_heal_orders_count(const struct darn_words *signatures);

/* Writes `,\n "deadlocks": [\n…\n ]`, and the list of orders; nothing when there are none. */
void darn_heal_deadlocks_write(FILE *out, const struct darn_words *signatures);

#endif
