#include "driver/process/client.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "driver/process/process_state.h"
#include "driver/process/sh.h"

#define UP_AFTER_MS    2000 /* a program that never waits is up, too */
#define AWAITED_FOR_MS 100  /* before that nobody is awaited: the program is only about to start */

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void darn_client_begin(struct darn_client *client)
{
    client->pid = 0;
    client->was_started = client->has_stopped = false;
    client->since = now_ms();
}

static void start(struct darn_client *client)
{
    struct darn_sh sh = {.command = client->command, .input = -1};

    client->was_started = true;
    if (darn_sh_start(&sh, &client->pid))
        client->pid = 0; /* the program is stopped then, as if it had ended */
}

void darn_client_look(struct darn_client *client, pid_t program, bool up)
{
    if (!client->command || client->has_stopped || program <= 0)
        return;
    if (!client->was_started) {
        if (up || now_ms() - client->since > UP_AFTER_MS)
            start(client);
        return;
    }
    if (client->pid > 0 && waitpid(client->pid, NULL, WNOHANG) == 0)
        return;
    client->pid = 0;
    client->has_stopped = true;
    kill(program, client->stop);
}

bool darn_client_is_awaited(pid_t program)
{
    struct timespec pause = {0, AWAITED_FOR_MS * 1000000L};

    for (int i = 0; i < 2; i++) {
        nanosleep(&pause, NULL);
        if (darn_process_state(program) != 'S')
            return false;
    }
    return true;
}

void darn_client_end(struct darn_client *client)
{
    if (client->pid <= 0)
        return;
    kill(-client->pid, SIGKILL);
    waitpid(client->pid, NULL, 0);
    client->pid = 0;
}

bool darn_client_has_ended(const struct darn_client *client, int status)
{
    return client->command && client->has_stopped && WIFSIGNALED(status) &&
           WTERMSIG(status) == client->stop;
}
