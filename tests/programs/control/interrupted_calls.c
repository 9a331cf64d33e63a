/*
 * claim: a call that waits fails with EINTR when a handler has run, unless it is one that SA_RESTART lets wait on
 * build: -O1
 * ends: exit 0
 * schedules: 25
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

enum { READ, POLL, SELECT, EPOLL, SEMAPHORE, CALLS };

static int ends[2], epoll;
static sem_t semaphore;
static atomic_int over, handled;

static void handle(int number)
{
    (void)number;
    atomic_fetch_add(&handled, 1);
}

/* Nothing comes until the calls are over, but for the one byte of a read that is restarted. */
static int call(int which)
{
    struct pollfd file = {.fd = ends[0], .events = POLLIN};
    struct epoll_event event;
    char byte;
    fd_set set;

    switch (which) {
    case READ:
        return (int)read(ends[0], &byte, 1);
    case POLL:
        return poll(&file, 1, -1);
    case SELECT:
        FD_ZERO(&set);
        FD_SET(ends[0], &set);
        return select(ends[0] + 1, &set, NULL, NULL, NULL);
    case EPOLL:
        return epoll_wait(epoll, &event, 1, -1);
    default:
        return sem_wait(&semaphore);
    }
}

static void *wait_for_signals(void *restarts)
{
    void *wrong = NULL;

    for (int i = 0; i < CALLS; i++) {
        if (restarts && (i == READ || i == SEMAPHORE))
            continue;
        if (call(i) != -1 || errno != EINTR)
            wrong = &over;
    }
    atomic_store(&over, 1);
    return wrong;
}

static void *read_on(void *unused)
{
    int got = call(READ);

    atomic_store(&over, 1);
    return got == 1 ? unused : &over;
}

/* A signal that comes before the call is lost: it is sent until all is over. */
static void *run(void *(*work)(void *), void *argument, int flags, int bytes)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
    pthread_t thread;
    void *result;

    sigaction(SIGUSR1, &action, NULL);
    atomic_store(&over, 0);
    pthread_create(&thread, NULL, work, argument);
    for (int i = 0; !atomic_load(&over); i++) {
        pthread_kill(thread, SIGUSR1);
        usleep(1000);
        if (i == 3 && bytes && write(ends[1], "x", 1) != 1)
            return &over;
    }
    pthread_join(thread, &result);
    return result;
}

int main(void)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (pipe(ends) || sem_init(&semaphore, 0, 0))
        return 2;
    epoll = epoll_create1(0);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event))
        return 2;
    if (run(wait_for_signals, NULL, 0, 0) || run(wait_for_signals, &event, SA_RESTART, 0) ||
        run(read_on, NULL, SA_RESTART, 1))
        return 1;
    return atomic_load(&handled) == 0;
}
