/*
 * Runs one command again and again, and says how its runs ended.
 *
 * usage: often RUNS JOBS LIMIT COMMAND...
 *
 * JOBS runs go on at the same time. One that takes longer than LIMIT seconds hangs, and is killed.
 * Leading words NAME=VALUE of the command go to its environment; what it prints is dropped. Prints
 * one line: how many runs succeeded, failed (an exit status other than 0), were killed by a signal,
 * and hung; and the median and the maximum of their time in milliseconds. Exit status: 0, or 2 if
 * the command cannot be run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 64, CANNOT_RUN = 127 };

struct job {
    pid_t pid; /* 0: nobody */
    double start;
    int hangs;
};

static struct job jobs[MOST_JOBS];
static long succeeded, failed, killed, hung, unusable;
static double *times;
static long ended;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* In the child: a group of its own, so that all that it starts can be ended with it. */
static void become(char **command)
{
    const struct rlimit none = {0, 0};
    sigset_t nothing;
    int nowhere = open("/dev/null", O_RDWR);

    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &none);
    for (int i = 0; i <= 2; i++)
        dup2(nowhere, i);
    for (; *command && strchr(*command, '='); command++)
        putenv(*command);
    if (*command)
        execvp(*command, command);
    _exit(CANNOT_RUN);
}

static int start(struct job *job, char **command)
{
    *job = (struct job){.pid = fork(), .start = now()};
    if (job->pid == 0)
        become(command);
    return job->pid < 0 ? -1 : 0;
}

static void count(struct job *job, int status)
{
    times[ended++] = now() - job->start;
    if (job->hangs)
        hung++;
    else if (WIFSIGNALED(status))
        killed++;
    else if (WEXITSTATUS(status) == CANNOT_RUN)
        unusable++;
    else if (WEXITSTATUS(status) != 0)
        failed++;
    else
        succeeded++;
    job->pid = 0;
}

static void end_late_ones(int count_of_jobs, double limit)
{
    for (int i = 0; i < count_of_jobs; i++) {
        if (jobs[i].pid > 0 && now() - jobs[i].start > limit) {
            jobs[i].hangs = 1;
            kill(-jobs[i].pid, SIGKILL);
        }
    }
}

static struct job *find(pid_t pid, int count_of_jobs)
{
    for (int i = 0; i < count_of_jobs; i++)
        if (jobs[i].pid == pid)
            return &jobs[i];
    return NULL;
}

/* Waits until one has ended, and takes its place free. */
static struct job *await(int count_of_jobs, double limit)
{
    const struct timespec second = {1, 0};
    sigset_t child;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        struct job *job = pid > 0 ? find(pid, count_of_jobs) : NULL;

        if (job) {
            count(job, status);
            return job;
        }
        if (pid < 0 && errno == ECHILD)
            return NULL;
        end_late_ones(count_of_jobs, limit);
        sigtimedwait(&child, NULL, &second);
    }
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    long runs = argc > 4 ? atol(argv[1]) : 0;
    int count_of_jobs = argc > 4 ? atoi(argv[2]) : 0;
    double limit = argc > 4 ? atof(argv[3]) : 0;
    struct job *free_one;
    sigset_t child;

    if (runs < 1 || count_of_jobs < 1 || count_of_jobs > MOST_JOBS || limit <= 0) {
        fprintf(stderr, "usage: often RUNS JOBS LIMIT COMMAND...\n");
        return 2;
    }
    times = calloc((size_t)runs, sizeof *times);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    for (long i = 0; times && i < runs; i++) {
        free_one = i < count_of_jobs ? &jobs[i] : await(count_of_jobs, limit);
        if (!free_one || start(free_one, argv + 4) < 0)
            break;
    }
    while (await(count_of_jobs, limit)) {
    }
    if (ended != runs || unusable) {
        fprintf(stderr, "often: %s cannot be run\n", argv[4]);
        return 2;
    }
    qsort(times, (size_t)ended, sizeof *times, compare);
    printf("%ld %ld %ld %ld %.1f %.1f\n", succeeded, failed, killed, hung, times[ended / 2] * 1e3,
           times[ended - 1] * 1e3);
    return 0;
}
