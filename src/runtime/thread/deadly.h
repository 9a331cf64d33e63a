/*
 * Signals that kill: a handler of ours where the program has left the default, and which the
 * program does not see. What it installs itself takes the place of ours.
 */
#ifndef DARN_RUNTIME_DEADLY_H
#define DARN_RUNTIME_DEADLY_H

#include <signal.h>
#include <stdbool.h>

/* From now on these signals come to the handler, also when the program asks for the default. */
void darn_deadly_watch(void (*handler)(int number, siginfo_t *info, void *context));

/* They have the default again where the handler was ours. */
void darn_deadly_unwatch(void);

/* What is installed when the program asks for the default; NULL: the default. */
const struct sigaction *darn_deadly_default(int number);

/* Whether that is what was there. Then *old becomes what the program knows of. */
bool darn_deadly_hide(struct sigaction *old);

#endif
