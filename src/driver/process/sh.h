/*
 * Commands of the user's that are run between the runs (--reset and --oracle), and programs that
 * are run freely.
 */
#ifndef DARN_DRIVER_SH_H
#define DARN_DRIVER_SH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct darn_sh {
    const char *command;     /* for /bin/sh -c */
    char *const *program;    /* instead of it: a program with its arguments; NULL: none */
    const int *outputs;      /* two: its stdout and stderr; NULL: nowhere, and our own */
    int input;               /* its standard input; -1: empty */
    const char *variable;    /* NAME=VALUE for its environment; NULL: none */
    uint32_t timeout_ms;     /* it is killed then; 0: never */
    const atomic_bool *stop; /* it is killed when this becomes true; NULL: nothing does */
};

/* Waits for its end: what wait() says, or a negative errno: -ETIMEDOUT, -EINTR (`stop`), or why it
 * could not be started. What it prints on stdout is not shown: that is where our own output goes.
 */
int darn_sh(const struct darn_sh *sh);

/* Starts it and no more, in a group of its own. 0 or an errno. */
int darn_sh_start(const struct darn_sh *sh, pid_t *pid);

/* Asks an oracle about a run that exited with `status`, which it gets as DARN_STATUS; closes the
 * input. 0: it is content; 1: it is not; else it could not be asked: a negative errno. */
int darn_sh_oracle(struct darn_sh *sh, int status);

#endif
