/*
 * claim: an address that one thread frees and another allocates again is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * env: GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0
 * expect: none
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 120 };

/* One arena without caches per thread: blocks wander between the threads through malloc alone. */
static void *work(void *arg)
{
    long broken = 0;
    char fill = (char)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        size_t size = 16 + (size_t)(i % 5) * 24;
        char *block = i % 3 ? malloc(size) : calloc(1, size);
        memset(block, fill, size);
        if (i % 4 == 0) {
            block = realloc(block, size * 2);
            memset(block + size, fill, size);
        }
        for (size_t j = 0; j < size; j++)
            broken += block[j] != fill;
        free(block);
    }
    return (void *)broken;
}

int main(void)
{
    pthread_t threads[3];
    long broken = 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 'a'));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        broken += (long)result;
    }
    return broken != 0;
}
