/*
 * claim: main unmaps a buffer while a thread reads it
 * build: -O1
 * fails: crash
 * kind: data-race
 * heals: yes
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#include "usually.h"

static char *buffer;
static long sum;

static void *count(void *unused)
{
    slow(1);
    for (int i = 0; i < 4; i++)
        sum += buffer[i * 16]; /* order: USE */
    return unused;
}

int main(void)
{
    pthread_t worker;

    buffer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&worker, NULL, count, NULL);
#ifdef FIXED
    pthread_join(worker, NULL);
    munmap(buffer, 4096);
#else
    usually_late();       /* it has ended by then */
    munmap(buffer, 4096); /* order: END */
    pthread_join(worker, NULL);
#endif
    return sum != 0;
}
