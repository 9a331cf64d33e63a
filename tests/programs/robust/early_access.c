/*
 * claim: accesses and threads before main (preinit, early constructors) work and are watched
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:500/100 x 5
 * run: --noise=var:early_counter:1000/300 x 10
 * run: x 5
 * expect: none
 * allow: data-race on early_counter at EARLY and EARLY
 */
#include <pthread.h>

long order[4];
int steps;
static long early_counter;

static void step(void)
{
    order[steps] = steps;
    steps++;
}

static void preinit(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv, (void)environment;
    step();
}
__attribute__((section(".preinit_array"), used)) static void (*preinit_entry)(int, char **,
                                                                              char **) = preinit;

static void *count(void *arg)
{
    for (int i = 0; i < 30; i++)
        early_counter++; /* race: EARLY */
    return arg;
}

/* The first priority that programs may use. */
__attribute__((constructor(101))) static void first(void)
{
    pthread_t threads[2];
    step();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

__attribute__((constructor)) static void second(void)
{
    step();
}

int main(void)
{
    step();
    return steps != 4 || order[3] != 3 || early_counter <= 0;
}
