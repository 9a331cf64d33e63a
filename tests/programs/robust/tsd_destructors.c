/*
 * claim: destructors of thread-specific data, several rounds of them, run as always
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:200/50 x 6
 * run: x 3
 * expect: none
 */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static atomic_int destroyed;

struct state {
    int rounds;
    char text[20];
};

/* Sets the key again: the destructor is called once more, PTHREAD_DESTRUCTOR_ITERATIONS in all. */
static void destroy(void *arg)
{
    struct state *state = arg;
    state->rounds++;
    state->text[state->rounds] = 'x';
    if (state->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(key, state);
        return;
    }
    atomic_fetch_add(&destroyed, 1);
    free(state);
}

static void *work(void *arg)
{
    struct state *state = calloc(1, sizeof(*state));
    pthread_setspecific(key, state);
    state->text[0] = 'a';
    if (arg != NULL)
        pthread_exit(arg);
    return NULL;
}

int main(void)
{
    pthread_key_create(&key, destroy);
    for (int round = 0; round < 10; round++) {
        pthread_t threads[4];
        for (long i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, work, (void *)(i % 2));
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    return atomic_load(&destroyed) != 40;
}
