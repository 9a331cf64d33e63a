/*
 * claim: copies of small and large structs against writes to one field are reported
 * build: -O0
 * build: -O2
 * build: -O3 -march=native
 * run: --noise=site:@SMALL_WRITE:1000/2000 --noise=site:@LARGE_WRITE:1000/2000 x 20
 * expect: data-race on * at SMALL_COPY and SMALL_WRITE [read write]
 * expect: data-race on * at LARGE_COPY and LARGE_WRITE [read write]
 */
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 10 };

struct small {
    long first, second; /* 16 bytes: one vector register */
};
struct large {
    long values[20];
};

static pthread_barrier_t start;
static struct small small;
static struct large large;

/* Once the other thread stands before its access. */
static void meet(void)
{
    pthread_barrier_wait(&start);
    usleep(300);
}

static void *copy(void *arg)
{
    struct small mine;
    struct large ours;
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        meet();
        mine = small; /* race: SMALL_COPY */
        meet();
        ours = large; /* race: LARGE_COPY */
        __asm__ volatile("" ::"r"(&mine), "r"(&ours) : "memory");
        sum += mine.second + ours.values[19];
    }
    return sum ? arg : NULL;
}

static void *set(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        small.second = i; /* race: SMALL_WRITE */
        pthread_barrier_wait(&start);
        large.values[17] = i; /* race: LARGE_WRITE */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, copy, NULL);
    pthread_create(&threads[1], NULL, set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
