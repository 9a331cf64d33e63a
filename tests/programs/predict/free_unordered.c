/*
 * claim: an access and a free that nothing orders are predicted, also if a sleep keeps them apart
 * build: -O0
 * build: -O2
 * predict: hb x 2
 * expect: data-race on * at USE and FREE [write free]
 * expect: data-race on * at MAPPED and UNMAP [write free]
 * never: ordered->count
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct block {
    long first, count;
};

static struct block *shared, *mapped, *ordered;

static void *use(void *unused)
{
    shared->count = 2; /* access: USE */
    mapped->count = 3; /* access: MAPPED */
    ordered->count = 4;
    return unused;
}

int main(void)
{
    pthread_t thread;

    shared = calloc(1, sizeof(*shared));
    ordered = calloc(1, sizeof(*ordered));
    mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, NULL, use, NULL);
    usleep(100000);
    free(shared);         /* access: FREE */
    munmap(mapped, 4096); /* access: UNMAP */
    pthread_join(thread, NULL);
    free(ordered);
    return 0;
}
