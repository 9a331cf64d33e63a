/* A program that dies of its race: the summary of what was found comes before the end. */
#ifndef DARN_RUNTIME_CRASH_H
#define DARN_RUNTIME_CRASH_H

/* Called at the first finding: programs without any keep their signals as they are. */
void darn_crash_watch(void);

#endif
