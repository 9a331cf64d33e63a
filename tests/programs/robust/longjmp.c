/*
 * claim: longjmp out of deep instrumented frames keeps stacks and sections right
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:200/50 x 5
 * run: x 3
 * expect: none
 */
#include <pthread.h>
#include <setjmp.h>

enum { ROUNDS = 100, DEPTH = 30 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long thrown;

struct trail {
    jmp_buf back;
    int depths[DEPTH + 1];
};

static __attribute__((noinline)) int descend(struct trail *trail, int depth)
{
    trail->depths[depth] = depth;
    if (depth == DEPTH)
        longjmp(trail->back, depth);
    return descend(trail, depth + 1) + trail->depths[depth];
}

static void *work(void *arg)
{
    for (volatile int i = 0; i < ROUNDS; i++) {
        struct trail trail;
        if (setjmp(trail.back) == 0) {
            descend(&trail, 0);
        } else {
            pthread_mutex_lock(&lock);
            thrown += trail.depths[DEPTH];
            pthread_mutex_unlock(&lock);
        }
    }
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return thrown != 3L * ROUNDS * DEPTH;
}
