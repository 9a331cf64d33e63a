/*
 * Sets of threads for Eraser+ (Letko 4.1): which threads a thread has joined, S(t), and which have
 * touched a variable, T(v), here called its team.
 *
 * Variables that were touched by the same threads have the same team. It goes with the last of
 * them.
 */
#ifndef DARN_ENGINE_TEAMS_H
#define DARN_ENGINE_TEAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct darn_team;
struct darn_teams;

/* NULL when there is no memory. */
struct darn_teams *darn_teams_create(void);
/* The teams themselves have gone before. */
void darn_teams_destroy(struct darn_teams *teams);

/* S(thread) := S(thread) ∪ {joined} ∪ S(joined). */
void darn_teams_join(struct darn_teams *teams, uint32_t thread, uint32_t joined);

/* Of one thread, for one owner. */
struct darn_team *darn_team_create(struct darn_teams *teams, uint32_t thread);

/* One more owner, and one less; the team may be NULL. */
void darn_team_share(struct darn_team *team);
void darn_team_leave(struct darn_teams *teams, struct darn_team *team);

/* The team with one more thread, in place of the one that is given. */
struct darn_team *darn_team_add(struct darn_teams *teams, struct darn_team *team, uint32_t thread);

/* T ⊆ S(thread) ∪ {thread}. */
bool darn_team_is_joined(struct darn_teams *teams, struct darn_team *team, uint32_t thread);

size_t darn_teams_memory(const struct darn_teams *teams);

#endif
