/*
 * claim: pages that one thread unmaps and another maps again are never reported
 * build: -O1
 * run: --budget=max --noise=random:100/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sys/mman.h>

enum { ROUNDS = 200, SIZE = 4096 };

static void *work(void *arg)
{
    long me = (long)arg, broken = 0;
    for (int i = 0; i < ROUNDS; i++) {
        long *page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            return arg;
        for (int j = 0; j < 4; j++)
            page[j] = me;
        for (int j = 0; j < 4; j++)
            broken += page[j] != me;
        munmap(page, SIZE);
    }
    return (void *)broken;
}

int main(void)
{
    pthread_t threads[3];
    long broken = 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        broken += (long)result;
    }
    return broken != 0;
}
