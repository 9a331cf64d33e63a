/*
 * claim: threads with the smallest stacks that are allowed have room enough, windows included
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:300/50 x 5
 * run: x 3
 * tsan: no
 * expect: none
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void *work(void *arg)
{
    long *mine = arg;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
        *mine += i;
    }
    free(malloc(100));
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    long own[THREADS] = {0};
    size_t size = (size_t)PTHREAD_STACK_MIN; /* at run time: it depends on the processor */
    for (int i = 0; i < THREADS; i++) {
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        if (i % 2) { /* a stack of our own, with a hole below that must not be touched */
            char *area =
                mmap(NULL, size + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
            mprotect(area + 65536, size, PROT_READ | PROT_WRITE);
            pthread_attr_setstack(&attr, area + 65536, size);
        } else {
            pthread_attr_setstacksize(&attr, size);
        }
        if (pthread_create(&threads[i], &attr, work, &own[i]) != 0)
            return 2;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return counter != 50 * THREADS || own[3] != 49 * 25;
}
