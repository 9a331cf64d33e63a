/*
 * What a run has printed. It goes to a file in memory, stdout and stderr together, and stays there
 * until the next run begins.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "driver/process/server_private.h"

#define MOST_OUTPUT (256l << 20) /* bytes; a run that prints more is taken for one without end */

void darn_server_output_begins(struct darn_server *server)
{
    server->has_output = false;
    server->shown = 0;
}

static off_t size_of(const struct darn_server *server)
{
    struct stat about;

    return fstat(server->out_fd, &about) ? 0 : about.st_size;
}

bool darn_server_output_is_too_long(struct darn_server *server)
{
    return size_of(server) > MOST_OUTPUT;
}

void darn_server_output_show(struct darn_server *server)
{
    struct darn_listener *listener = server->options.listener;
    char piece[4096];
    ssize_t got;

    if (!server->options.show)
        return;
    while ((got = pread(server->out_fd, piece, sizeof(piece), server->shown)) > 0) {
        listener->output(listener, piece, (size_t)got);
        server->shown += got;
    }
}

const char *darn_server_output(struct darn_server *server, size_t *length)
{
    if (!server->has_output) {
        off_t size = size_of(server);
        off_t from = size > DARN_SERVER_OUTPUT ? size - DARN_SERVER_OUTPUT : 0;
        ssize_t got = 0;

        if (!server->output)
            server->output = malloc(DARN_SERVER_OUTPUT + 1);
        if (server->output && size)
            got = pread(server->out_fd, server->output, DARN_SERVER_OUTPUT, from);
        server->length = got > 0 ? (size_t)got : 0;
        server->has_output = true;
    }
    *length = server->length;
    if (!server->output)
        return "";
    server->output[server->length] = '\0';
    return server->output;
}

uint64_t darn_server_output_hash(struct darn_server *server)
{
    uint64_t hash = DARN_HASH_START;
    char piece[16384];
    off_t at = 0;
    ssize_t got;

    while ((got = pread(server->out_fd, piece, sizeof(piece), at)) > 0) {
        hash = darn_hash_bytes(hash, piece, (size_t)got);
        at += got;
    }
    return hash;
}

int darn_server_output_file(struct darn_server *server)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", server->out_fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}
