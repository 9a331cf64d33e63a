/*
 * Sets of threads for Eraser+ (Letko 4.1): T(v), the threads that have touched a variable, here
 * called its team, and whether one thread has joined all others of them.
 *
 * Letko keeps for each thread t the set S(t) of those that it has joined, with all that they had
 * joined, and asks whether T(v) ⊆ S(t) ∪ {t}. A thread is joined by one other, so that "joined by"
 * is a forest, and for a thread t that is still running the question is whether t is at the root of
 * all trees that have somebody from T(v). So no S(t) is needed, and in T(v) each thread can be
 * replaced by its root: teams have as many members as there are threads that were not joined. (In
 * Java a thread may be joined by several; then the first one counts.)
 *
 * Variables that have the same team share it. It goes with the last of them.
 */
#ifndef DARN_ENGINE_TEAMS_H
#define DARN_ENGINE_TEAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A team of more threads than this is a crowd, which nobody ever has joined. */
#define DARN_TEAM_MOST 4096

struct darn_team;
struct darn_teams;

/* NULL when there is no memory. */
struct darn_teams *darn_teams_create(void);
/* The teams themselves have gone before. */
void darn_teams_destroy(struct darn_teams *teams);

void darn_teams_join(struct darn_teams *teams, uint32_t thread, uint32_t joined);

/* Of one thread, for one owner. */
struct darn_team *darn_team_create(struct darn_teams *teams, uint32_t thread);

/* One more owner, and one less; the team may be NULL. */
void darn_team_share(struct darn_team *team);
void darn_team_leave(struct darn_teams *teams, struct darn_team *team);

/* The team after `thread` has come, in place of the one that is given: T(v) ∪ {thread}; or NULL,
 * when the thread has joined all others. */
struct darn_team *darn_team_come(struct darn_teams *teams, struct darn_team *team, uint32_t thread);

/* How often a team has become a crowd. */
uint64_t darn_teams_crowds(const struct darn_teams *teams);
size_t darn_teams_memory(const struct darn_teams *teams);

#endif
