/*
 * claim: blocking calls are interrupted by signals exactly as without darn
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:500/50 x 3
 * run: x 2
 * compare: plain
 * expect: none
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sem_t semaphore;
static int ends[2];
static atomic_int done;

static void nothing(int number)
{
    (void)number;
}

/* Prints how each call ends when a signal without SA_RESTART comes. */
static void *block(void *arg)
{
    struct timespec hour = {3600, 0};
    struct pollfd waiting = {.fd = ends[0], .events = POLLIN};
    char byte;
    printf("sem_wait %d %d\n", sem_wait(&semaphore), errno == EINTR);
    printf("nanosleep %d %d\n", nanosleep(&hour, NULL), errno == EINTR);
    printf("poll %d %d\n", poll(&waiting, 1, -1), errno == EINTR);
    printf("read %d %d\n", (int)read(ends[0], &byte, 1), errno == EINTR);
    printf("pause %d %d\n", pause(), errno == EINTR);
    atomic_store(&done, 1);
    return arg;
}

int main(void)
{
    struct timespec moment = {0, 5000000};
    struct sigaction action;
    pthread_t thread;
    memset(&action, 0, sizeof(action));
    action.sa_handler = nothing;
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&semaphore, 0, 0);
    if (pipe(ends) != 0)
        return 2;
    pthread_create(&thread, NULL, block, NULL);
    while (!atomic_load(&done)) { /* a signal may come between two calls: send again */
        nanosleep(&moment, NULL);
        pthread_kill(thread, SIGUSR1);
    }
    pthread_join(thread, NULL);
    return 0;
}
