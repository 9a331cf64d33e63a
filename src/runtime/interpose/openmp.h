/* Whose code the next team and the next task are that the thread makes. */
#ifndef DARN_RUNTIME_OPENMP_H
#define DARN_RUNTIME_OPENMP_H

enum darn_whose { DARN_NOBODYS, DARN_OURS, DARN_FOREIGN };

extern __thread enum darn_whose darn_next_team, darn_next_task;

#endif
