/*
 * claim: a reference dropped with a decrement and a separate look: two threads free the object
 * build: -O1
 * bug: assert
 * within: 50
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

static struct object object = {2, 42};
static atomic_int freed;

static void drop(struct object *dropped)
{
#ifdef FIXED
    if (atomic_fetch_sub(&dropped->references, 1) != 1)
        return;
#else
    atomic_fetch_sub(&dropped->references, 1);
    if (atomic_load(&dropped->references) != 0)
        return;
#endif
    assert(atomic_fetch_add(&freed, 1) == 0); /* where free would be */
    dropped->value = 0;
}

static void *use(void *arg)
{
    assert(object.value == 42);
    drop(&object);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&freed) == 1);
    return 0;
}
