/*
 * Attention and the filter: what the guards look at (src/site/site_guard.h).
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

/* All accesses call for now: they are remembered (runtime/order/ordering.h). */
void darn_attention_sample(bool on);

/* Lets up to this many threads open a window at their next access. */
void darn_attention_invite(uint32_t windows);

/* Lets a thread be watched at the next entry of an atomic section; takes that back. */
void darn_attention_invite_sections(bool on);

/* Takes back what is left of the invitation; returns how many offers were left. */
uint32_t darn_attention_withdraw(void);

/* Whether an invitation stands; a hint, for a quick no. */
bool darn_attention_invited(void);

/* An access has come to a hook; whether one has since the invitation was made. */
void darn_attention_seen(void);
bool darn_attention_was_seen(void);

/* The number of the invitation. */
uint32_t darn_attention_round(void);

/* Takes one offer of the invitation, if there is one. */
bool darn_attention_accept(void);

/* Accesses to this line of memory call from now on, always: something there is healed. */
void darn_attention_mark(uintptr_t address, uint64_t size);

/* Whether one of the lines is such. */
bool darn_attention_is_marked(uintptr_t address, uint64_t size);

/* The set of open windows has changed. */
void darn_attention_refresh(void);

/* The number of threads has changed from one to two, or back: the share of the time counts while
 * there are several. */
void darn_attention_recount(void);

/* Of the time with several threads: in how much of it every access called, in thousandths. 0 when
 * there never were several. */
uint32_t darn_attention_share(void);

/* The lock of all that guards look at: nothing nests inside, signals are blocked. Returns those
 * that were. */
uint64_t darn_attention_lock(void);
void darn_attention_unlock(uint64_t mask);

/* Around fork: nobody is changing the filter; in the child nothing is being watched. */
void darn_attention_before_fork(void);
void darn_attention_after_fork(bool child);

/* At the end of the program: never again. */
void darn_attention_off(void);

#endif
