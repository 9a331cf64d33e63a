/*
 * A fork server, as the files of server*.c see it.
 */
#ifndef DARN_DRIVER_SERVER_PRIVATE_H
#define DARN_DRIVER_SERVER_PRIVATE_H

#include <limits.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "driver/process/client.h"
#include "driver/process/server.h"
#include "report/symbol/module.h"

#define DARN_SERVER_TICK_MS 100 /* how often we look whether all is well */
#define DARN_SERVER_OUTPUT  65536
#define DARN_SERVER_NAME    40

struct darn_server {
    struct darn_server_options options;
    char path[PATH_MAX];         /* of the program */
    char name[DARN_SERVER_NAME]; /* under which the program finds the block */
    char **environment;          /* of the program */
    char *text;                  /* the part of it that is ours, */
    char *sanitizer;             /* and the options of ASan; NULL: none */
    struct darn_control_block *block;
    int block_fd, out_fd, in_fd;
    pid_t pid;        /* 0: it does not run */
    bool anew;        /* it cannot serve: it is started for each run */
    struct darn_client client;
    uint32_t still_ms; /* of darn_server_set_stillness */
    uint32_t version;  /* of what is armed */
    bool all;         /* also sites that are not there yet */
    uint32_t learned; /* runs that were made to learn */
    atomic_bool interrupted;
    char loss[PATH_MAX + 128];
    /* server_output.c */
    char *output;
    size_t length;
    bool has_output;
    off_t shown;
    /* server_sites.c */
    struct darn_modules modules;
    uint64_t *keys;
    uint32_t key_count;
};

/* server_process.c: the block, the files and the environment. 0 or DARN_REFUSED, after a line. */
int darn_server_prepare(struct darn_server *server);
void darn_server_release(struct darn_server *server);

/* Starts the process and no more. 0 or a negative errno. */
int darn_server_spawn(struct darn_server *server);

/* Kills it with everything in its group, and waits for its end. */
void darn_server_kill(struct darn_server *server);

/* The same for what is left when it has ended by itself. */
void darn_server_kill_rest(struct darn_server *server);

/* Kills the run under way; the server will answer. */
void darn_server_kill_run(struct darn_server *server);

/* server_output.c */
void darn_server_output_begins(struct darn_server *server);
/* What has come since the last time goes to the listener, if that is wanted. */
void darn_server_output_show(struct darn_server *server);
/* Whether the run prints without end. */
bool darn_server_output_is_too_long(struct darn_server *server);

#endif
