/*
 * claim: copies of small and large structs against writes to one field are reported
 * build: -O0
 * build: -O2
 * build: -O3 -march=native
 * run: --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on * at SMALL_COPY and SMALL_WRITE [read write]
 * expect: data-race on * at LARGE_COPY and LARGE_WRITE [read write]
 */
#include <pthread.h>

enum { ROUNDS = 20 };

struct small {
    long first, second; /* 16 bytes: one vector register */
};
struct large {
    long values[20];
};

static pthread_barrier_t start;
static struct small small;
static struct large large;

static void *copy(void *arg)
{
    struct small mine;
    struct large ours;
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        mine = small; /* race: SMALL_COPY */
        ours = large; /* race: LARGE_COPY */
        __asm__ volatile("" ::"r"(&mine), "r"(&ours) : "memory");
        sum += mine.second + ours.values[19];
    }
    return sum ? arg : NULL;
}

static void *write(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        small.second = i;     /* race: SMALL_WRITE */
        large.values[17] = i; /* race: LARGE_WRITE */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, copy, NULL);
    pthread_create(&threads[1], NULL, write, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
