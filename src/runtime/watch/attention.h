/*
 * Attention and the filter: what the guards look at (src/site/guard.h).
 *
 * The filter has a bit of truth for each open window, or is full while an invitation stands (every
 * access shall call, one of them may open a window) or while noise wants to see every access.
 */
#ifndef DARN_RUNTIME_ATTENTION_H
#define DARN_RUNTIME_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

/* All accesses call, always: for noise that is aimed at sites or variables. */
void darn_attention_always(void);

/* budget=max: windows are looked for all the time, invitations come and go. */
void darn_attention_keep(void);

/* Lets up to this many threads open a window at their next access. */
void darn_attention_invite(uint32_t windows);

/* Lets a thread be watched at the next entry of an atomic section; takes that back. */
void darn_attention_invite_sections(bool on);

/* Takes back what is left of the invitation; returns how many places were left. */
uint32_t darn_attention_withdraw(void);

/* Whether an invitation stands; a hint, for a quick no. */
bool darn_attention_invited(void);

/* The number of the invitation. */
uint32_t darn_attention_round(void);

/* Takes one place of the invitation, if there is one. */
bool darn_attention_accept(void);

/* Accesses to this line of memory call from now on, always: something there is healed. */
void darn_attention_mark(uintptr_t address, uint64_t size);

/* Whether one of the lines is such. */
bool darn_attention_is_marked(uintptr_t address, uint64_t size);

/* The set of open windows has changed. */
void darn_attention_refresh(void);

/* Around fork: nobody is changing the filter; in the child nothing is being watched. */
void darn_attention_before_fork(void);
void darn_attention_after_fork(bool child);

/* At the end of the program: never again. */
void darn_attention_off(void);

#endif
