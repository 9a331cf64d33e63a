/*
 * claim: what threads tell each other by the system is order, however unusual
 * build: -O1
 * run: x 10
 * run: --budget=max x 5
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static int from[2], to[2], shared, timer, semaphores;
static char name[64];
static sigset_t alarms;

/* A pipe whose other end is filled by splice. */
static void tell_by_splice(void)
{
    if (write(from[1], "x", 1) == 1)
        splice(from[0], NULL, to[1], NULL, 1, 0);
}

static void hear_by_read(void)
{
    char byte;

    while (read(to[0], &byte, 1) != 1)
        ;
}

/* A timer that somebody else has set. */
static void tell_by_timer(void)
{
    struct itimerspec soon = {.it_value.tv_nsec = 1000};

    timerfd_settime(timer, 0, &soon, NULL);
}

static void hear_by_timer(void)
{
    uint64_t times;

    while (read(timer, &times, sizeof(times)) != sizeof(times))
        ;
}

static void tell_by_alarm(void)
{
    ualarm(1000, 0);
}

static void hear_by_sigwait(void)
{
    int number;

    sigwait(&alarms, &number);
}

/* A directory that is there, or not. */
static void tell_by_directory(void)
{
    if (mkdir(name, 0700))
        abort();
}

static void hear_by_directory(void)
{
    while (rmdir(name))
        usleep(100);
}

/* A semaphore of the kernel that is set, not raised. */
static void tell_by_semctl(void)
{
    semctl(semaphores, 0, SETVAL, 1);
}

static void hear_by_semop(void)
{
    struct sembuf take = {.sem_op = -1};

    while (semop(semaphores, &take, 1))
        ;
}

/* The standard output, which leads to a pipe. */
static void tell_by_output(void)
{
    putchar('x');
    fflush(stdout);
}

static const struct {
    void (*tell)(void), (*hear)(void);
} ways[] = {
    {tell_by_splice, hear_by_read},   {tell_by_timer, hear_by_timer},
    {tell_by_alarm, hear_by_sigwait}, {tell_by_directory, hear_by_directory},
    {tell_by_semctl, hear_by_semop},  {tell_by_output, hear_by_read},
};

static void *hear(void *way)
{
    ways[(intptr_t)way].hear();
    shared++;
    return NULL;
}

static void prepare(void)
{
    snprintf(name, sizeof(name), "told.%d", (int)getpid());
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    if (semaphores < 0 || timer < 0 || pipe(from) || pipe(to) || dup2(to[1], STDOUT_FILENO) < 0)
        abort();
}

int main(void)
{
    pthread_t thread;

    prepare();
    for (int i = 0; i < ROUNDS; i++)
        for (intptr_t way = 0; way < (intptr_t)(sizeof(ways) / sizeof(ways[0])); way++) {
            pthread_create(&thread, NULL, hear, (void *)way);
            shared++;
            ways[way].tell();
            pthread_join(thread, NULL);
        }
    semctl(semaphores, 0, IPC_RMID);
    return 0;
}
