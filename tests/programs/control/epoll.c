/*
 * claim: an event loop in one thread, woken by the events of two others and ended by a third
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { SOURCES = 2 };

static int loop, sources[SOURCES], stop;

static void *tell(void *arg)
{
    uint64_t one = 1;
    if (write(*(int *)arg, &one, sizeof one) != sizeof one)
        return arg;
    return NULL;
}

static void *run(void *arg)
{
    uint64_t *seen = arg;
    for (;;) {
        struct epoll_event event;
        uint64_t value;
        if (epoll_wait(loop, &event, 1, -1) != 1)
            return arg;
        if (event.data.fd == stop)
            return NULL;
        if (read(event.data.fd, &value, sizeof value) != sizeof value)
            return arg;
        *seen += value;
    }
}

static int watch(int file)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = file};
    return epoll_ctl(loop, EPOLL_CTL_ADD, file, &event);
}

int main(void)
{
    pthread_t looping, telling[SOURCES];
    struct epoll_event event;
    uint64_t seen = 0, rest, one = 1;
    void *result;
    loop = epoll_create1(0);
    stop = eventfd(0, 0);
    if (loop < 0 || stop < 0 || watch(stop) != 0)
        return 1;
    for (int i = 0; i < SOURCES; i++) {
        sources[i] = eventfd(0, EFD_NONBLOCK);
        if (sources[i] < 0 || watch(sources[i]) != 0)
            return 2;
    }
    if (epoll_wait(loop, &event, 1, 1) != 0)
        return 3;
    pthread_create(&looping, NULL, run, &seen);
    for (int i = 0; i < SOURCES; i++)
        pthread_create(&telling[i], NULL, tell, &sources[i]);
    for (int i = 0; i < SOURCES; i++) {
        pthread_join(telling[i], &result);
        if (result != NULL)
            return 4;
    }
    if (write(stop, &one, sizeof one) != sizeof one)
        return 5;
    pthread_join(looping, &result);
    /* What was told in the last moment may have been passed over. */
    for (int i = 0; i < SOURCES; i++) {
        if (read(sources[i], &rest, sizeof rest) == sizeof rest)
            seen += rest;
    }
    return result != NULL || seen != SOURCES;
}
