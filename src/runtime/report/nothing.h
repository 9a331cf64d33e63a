/* The last line of a run in which nothing was found. */
#ifndef DARN_RUNTIME_NOTHING_H
#define DARN_RUNTIME_NOTHING_H

/* Says it, and what was looked at; if this process was asked to. */
void darn_nothing_say(void);

#endif
