/* A signal to a healed program: its repository is read again, and its account is written. */
#ifndef DARN_RUNTIME_HEAL_RELOAD_H
#define DARN_RUNTIME_HEAL_RELOAD_H

/* Handles the signal that the options name, if they name one. */
void darn_heal_reload_open(void);

/* In the child: a thread of the parent may have been at it. */
void darn_heal_reload_after_fork(void);

#endif
