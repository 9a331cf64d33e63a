/*
 * A command that is run beside the program under test (--with): the client of a server. It starts
 * when the program is up; when it has ended, the program is asked to end by a signal (--stop).
 */
#ifndef DARN_DRIVER_CLIENT_H
#define DARN_DRIVER_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DARN_CLIENT_TICK_MS 5 /* how often to look after it */

struct darn_client {
    const char *command; /* for /bin/sh -c; NULL: there is none */
    int stop;            /* the signal */
    /* Of the present run. */
    pid_t pid; /* 0: it does not run */
    bool was_started, has_stopped;
    uint64_t since; /* in milliseconds */
};

/* A run begins. */
void darn_client_begin(struct darn_client *client);

/* Starts it if the program is `up`, or after a while; and stops the program when it has ended. To be
 * called again and again. */
void darn_client_look(struct darn_client *client, pid_t program, bool up);

/* Whether the program waits for somebody, as far as the kernel can tell: of one that is not
 * controlled. */
bool darn_client_is_awaited(pid_t program);

/* The run is over: ends it, if it has not ended. */
void darn_client_end(struct darn_client *client);

/* Whether the run, which ended with this status of wait(), has ended as it was asked to. */
bool darn_client_has_ended(const struct darn_client *client, int status);

#endif
