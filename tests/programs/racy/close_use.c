/*
 * claim: a file that is closed in one thread and used in another, before or after, with nothing that orders the two, is reported in every plain run
 * build: -O0
 * build: -O2
 * build: -O2 -DAFTER
 * build: -O2 -DSEEK
 * build: -O2 -DCONTROL -DAFTER
 * run: x 20
 * run: --budget=max x 5
 * predict: hb x 1
 * expect: data-race on * at WRITE and CLOSE
 * tsan: no
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "../unseen.h"

#ifndef AFTER
#define AFTER 0
#endif

static int ends[2];

static int is_used(void)
{
#if defined SEEK
    return lseek(ends[1], 0, SEEK_SET) == 0; /* race: WRITE */
#elif defined CONTROL
    int is_set = 1;
    return ioctl(ends[1], FIONBIO, &is_set) == 0; /* race: WRITE */
#else
    return write(ends[1], "x", 1) == 1; /* race: WRITE */
#endif
}

static void *use(void *arg)
{
    if (AFTER)
        unseen_wait();
    if (!is_used())
        arg = NULL;
    if (!AFTER)
        unseen_tell();
    return arg;
}

static void *stop(void *arg)
{
    if (!AFTER)
        unseen_wait();
    close(ends[1]); /* race: CLOSE */
    if (AFTER)
        unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    if (pipe(ends))
        return 1;
#ifdef SEEK
    ends[1] = open("/proc/self/status", O_RDONLY);
#endif
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, stop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
