/*
 * One of the runs of free_runs.h: start it, wait for its end, judge it.
 */
#ifndef DARN_DRIVER_FREE_RUN_H
#define DARN_DRIVER_FREE_RUN_H

#include "driver/play/free_runs.h"

/* Fills in the verdict. 0; -EINTR when it was stopped; or DARN_REFUSED: no other run will be
 * better. */
int darn_free_run_make(struct darn_free_runs *runs, struct darn_free_run *run);

#endif
