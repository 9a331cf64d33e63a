#include "cli/sh.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 100

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The environment and one variable more: only the list is new. NULL without memory. */
static char **with_variable(const char *variable)
{
    size_t count = 0, name = strcspn(variable, "=") + 1, used = 0;
    char **list;

    while (environ[count])
        count++;
    list = calloc(count + 2, sizeof(*list));
    if (!list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], variable, name) != 0)
            list[used++] = environ[i];
    list[used] = (char *)variable;
    return list;
}

/* In a group of its own, so that all it starts can be killed. 0 or an errno. */
static int start(const struct darn_sh *sh, pid_t *pid)
{
    char *shell[] = {"sh", "-c", (char *)sh->command, NULL};
    char *const *line = sh->program ? sh->program : shell;
    char **environment = sh->variable ? with_variable(sh->variable) : environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int result;

    if (!environment)
        return ENOMEM;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawn_file_actions_init(&actions);
    if (sh->input >= 0)
        posix_spawn_file_actions_adddup2(&actions, sh->input, STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (sh->outputs) {
        posix_spawn_file_actions_adddup2(&actions, sh->outputs[0], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, sh->outputs[1], STDERR_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    result = posix_spawnp(pid, sh->program ? line[0] : "/bin/sh", &actions, &attributes, line,
                          environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (sh->variable)
        free(environment);
    return result;
}

/* Until it ends or a moment has passed. */
static void pause_for(pid_t pid, int *handle)
{
    struct pollfd wait;

    if (*handle < 0)
        *handle = (int)syscall(SYS_pidfd_open, pid, 0);
    wait = (struct pollfd){.fd = *handle, .events = POLLIN};
    poll(&wait, 1, *handle < 0 ? 1 : TICK_MS);
}

static int wait_for(const struct darn_sh *sh, pid_t pid)
{
    uint64_t end = sh->timeout_ms ? now_ms() + sh->timeout_ms : UINT64_MAX;
    int status = 0, error = 0, handle = -1;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        pause_for(pid, &handle);
        if (!error && sh->stop && atomic_load(sh->stop))
            error = -EINTR;
        else if (!error && now_ms() > end)
            error = -ETIMEDOUT;
        if (error)
            kill(-pid, SIGKILL);
    }
    if (handle >= 0)
        close(handle);
    return error ? error : status;
}

int darn_sh(const struct darn_sh *sh)
{
    pid_t pid = 0;
    int error = start(sh, &pid);

    return error ? -error : wait_for(sh, pid);
}
