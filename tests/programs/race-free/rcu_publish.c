/*
 * claim: objects replaced by a release store and freed when no reader is left are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { READERS = 2, UPDATES = 100 };

struct object {
    long value, check;
};

static _Atomic(struct object *) current;
static atomic_uint quiet[READERS]; /* odd while the reader is inside */
static atomic_int stop;

static struct object *make(long value)
{
    struct object *object = malloc(sizeof(*object));
    object->value = value;
    object->check = -value;
    return object;
}

static void wait_for_readers(void)
{
    for (int i = 0; i < READERS; i++) {
        unsigned seen = atomic_load(&quiet[i]);
        while (seen % 2 && atomic_load(&quiet[i]) == seen)
            sched_yield();
    }
}

static void *reader(void *arg)
{
    atomic_uint *mine = arg;
    long broken = 0;
    while (!atomic_load(&stop)) {
        atomic_fetch_add(mine, 1);
        struct object *object = atomic_load(&current);
        broken |= object->value + object->check;
        atomic_fetch_add(mine, 1);
    }
    return (void *)broken;
}

int main(void)
{
    pthread_t threads[READERS];
    long broken = 0;
    atomic_store(&current, make(0));
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, &quiet[i]);
    for (int i = 1; i <= UPDATES; i++) {
        struct object *old = atomic_exchange(&current, make(i));
        wait_for_readers();
        old->value = old->check = 99; /* poison: nobody may see it */
        free(old);
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < READERS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        broken |= (long)result;
    }
    free(atomic_load(&current));
    return broken != 0;
}
