/*
 * claim: a stack that is copied for each push: who copies before it locks drops the other's push
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { DEPTH = 4, VERSIONS = 3 };

struct stack {
    int count;
    int values[DEPTH];
};

/* Readers need no lock: a version that was published is never changed. */
static struct stack versions[VERSIONS];
static struct stack *_Atomic current = &versions[0];
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

static void push(struct stack *copy, int value)
{
#ifdef FIXED
    pthread_mutex_lock(&writers);
    *copy = *atomic_load(&current);
#else
    *copy = *atomic_load(&current);
    pthread_mutex_lock(&writers);
#endif
    copy->values[copy->count++] = value;
    atomic_store(&current, copy);
    pthread_mutex_unlock(&writers);
}

static void *work(void *arg)
{
    int number = (int)(long)arg;
    push(&versions[number], number);
    return NULL;
}

int main(void)
{
    pthread_t threads[VERSIONS - 1];
    struct stack *last;
    for (long i = 1; i < VERSIONS; i++)
        pthread_create(&threads[i - 1], NULL, work, (void *)i);
    for (int i = 1; i < VERSIONS; i++)
        pthread_join(threads[i - 1], NULL);
    last = atomic_load(&current);
    assert(last->count == 2);
    assert(last->values[0] + last->values[1] == 3);
    return 0;
}
