#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void redirect(const char *path, int flags, int to)
{
    int fd = open(path, flags, 0666);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
    close(fd);
}

/* An assignment as the shell knows it: a name, then '='. */
static bool is_assignment(const char *word)
{
    size_t name = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return name > 0 && word[name] == '=';
}

static _Noreturn void become(char *const command[], const char *stdout_path,
                             const char *stderr_path)
{
    /* A group of its own, to be killed as a whole; and it must not outlive us if we are killed. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(stdout_path, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(stderr_path, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    for (; *command != NULL && is_assignment(*command); command++)
        putenv(*command);
    if (*command != NULL)
        execvp(command[0], command);
    _exit(127);
}

/* Waits for the end of the child, at most until the deadline. SIGCHLD is blocked. */
static bool ends_before(pid_t child, double deadline, const sigset_t *child_signal)
{
    for (;;) {
        siginfo_t info = {.si_pid = 0};
        double left = deadline - now();
        struct timespec timeout = {.tv_sec = (time_t)left,
                                   .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
            return true;
        if (left <= 0)
            return false;
        sigtimedwait(child_signal, NULL, &timeout);
    }
}

int darn_measure(char *const command[], const char *stdout_path, const char *stderr_path,
                 double limit, struct darn_usage *usage)
{
    sigset_t child_signal, before;
    struct rusage rusage;
    double start;
    pid_t child;

    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, &before);
    start = now();
    child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        become(command, stdout_path, stderr_path);
    }
    if (child < 0) {
        int error = errno;
        sigprocmask(SIG_SETMASK, &before, NULL);
        errno = error;
        return -1;
    }
    usage->over_limit = !ends_before(child, start + limit, &child_signal);
    if (usage->over_limit)
        kill(-child, SIGKILL);
    wait4(child, &usage->status, 0, &rusage);
    usage->wall = now() - start;
    usage->user = (double)rusage.ru_utime.tv_sec + (double)rusage.ru_utime.tv_usec * 1e-6;
    usage->system = (double)rusage.ru_stime.tv_sec + (double)rusage.ru_stime.tv_usec * 1e-6;
    usage->peak = (double)rusage.ru_maxrss / 1024; /* the kernel counts in KiB */
    sigprocmask(SIG_SETMASK, &before, NULL);
    return 0;
}
