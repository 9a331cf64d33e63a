#include "driver/process/sh.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/process/signal_guard.h"

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

static void open_as(int to, const char *path, int flags)
{
    int fd = open(path, flags);

    if (fd >= 0 && fd != to) {
        dup2(fd, to);
        close(fd);
    }
}

/* In the child, until it executes. Only what may be called there in a program with threads. */
static void become(const struct darn_sh *sh, char *const *line, char *const *environment)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;

    setpgid(0, 0);
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (sh->input >= 0)
        dup2(sh->input, STDIN_FILENO);
    else
        open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
    if (sh->outputs) {
        dup2(sh->outputs[0], STDOUT_FILENO);
        dup2(sh->outputs[1], STDERR_FILENO);
    } else {
        open_as(STDOUT_FILENO, "/dev/null", O_WRONLY);
    }
    execvpe(sh->program ? line[0] : "/bin/sh", line, environment);
}

/* The child, or a negative errno. It says through the pipe why it did not execute. */
static pid_t spawn(const struct darn_sh *sh, char *const *line, char *const *environment)
{
    pid_t self = getpid(), child;
    int why[2], error = 0;

    if (pipe2(why, O_CLOEXEC))
        return -errno;
    child = fork();
    if (child == 0) {
        darn_guard_child(self);
        become(sh, line, environment);
        error = errno;
        (void)!write(why[1], &error, sizeof(error));
        _exit(127);
    }
    if (child < 0)
        error = errno;
    else
        setpgid(child, child); /* both sides: whoever comes first */
    close(why[1]);
    while (child > 0 && read(why[0], &error, sizeof(error)) < 0 && errno == EINTR)
        ;
    close(why[0]);
    if (child > 0 && error)
        waitpid(child, NULL, 0);
    return error ? -error : child;
}

/* In a group of its own, so that all it starts can be killed. */
int darn_sh_start(const struct darn_sh *sh, pid_t *pid)
{
    char *shell[] = {"sh", "-c", (char *)sh->command, NULL};
    char **environment = sh->variable ? with_variable(sh->variable) : environ;

    if (!environment)
        return ENOMEM;
    *pid = spawn(sh, sh->program ? sh->program : shell, environment);
    if (sh->variable)
        free(environment);
    return *pid < 0 ? -*pid : 0;
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
    while (waitpid(-pid, NULL, WNOHANG) > 0) /* its orphans are our children: guard.h */
        ;
    return error ? error : status;
}

int darn_sh(const struct darn_sh *sh)
{
    pid_t pid = 0;
    int error = darn_sh_start(sh, &pid);

    return error ? -error : wait_for(sh, pid);
}

int darn_sh_oracle(struct darn_sh *sh, int status)
{
    char variable[64];
    int said;

    snprintf(variable, sizeof(variable), "DARN_STATUS=%d", status);
    sh->variable = variable;
    said = darn_sh(sh);
    if (sh->input >= 0)
        close(sh->input);
    if (said < 0)
        return said;
    /* What a shell says when there is no such command. */
    if (WIFEXITED(said) && (WEXITSTATUS(said) == 126 || WEXITSTATUS(said) == 127))
        return -ENOEXEC;
    return said != 0;
}
