#!/bin/bash
# Memory escapes when its address is stored where others can find it, and not before.
# needs: compiler
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# The first thread changes a counter in two critical sections, then lets the second one come to it: it is the storing of
# the address, before or after, that decides. What orders the two is a semaphore, which to the engine is nothing.
cat >share.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

struct counter {
    long sum;
    struct counter *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t go;
static struct counter *_Atomic shared_atomic;
static struct counter *shared, *spare;
static const char *how;

void add(struct counter *counter);
void add(struct counter *counter)
{
    long old;

    pthread_mutex_lock(&lock);
    old = counter->sum;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    counter->sum = old + 1;
    pthread_mutex_unlock(&lock);
}

static void publish(struct counter *counter)
{
    pthread_mutex_lock(&lock);
    if (strstr(how, "atomic"))
        shared_atomic = counter;
    else
        shared = counter;
    pthread_mutex_unlock(&lock);
}

static struct counter *wrap(struct counter *inner)
{
    struct counter *outer = calloc(1, sizeof(*outer));

    outer->next = inner;
    return outer;
}

static void *first(void *unused)
{
    struct counter on_stack = {0}, *counter = strstr(how, "stack") ? &on_stack : calloc(1, sizeof(on_stack));
    struct counter *handed = strstr(how, "inner") ? wrap(counter) : counter;

    if (strstr(how, "early"))
        publish(handed);
    add(counter);
    if (!strstr(how, "early"))
        publish(handed);
    sem_post(&go);
    sem_wait(&go + 0 * (unused != NULL));
    return NULL;
}

static sem_t done;

static void *second(void *unused)
{
    struct counter *counter;

    sem_wait(&go);
    pthread_mutex_lock(&lock);
    counter = shared_atomic ? shared_atomic : shared;
    pthread_mutex_unlock(&lock);
    add(counter->next ? counter->next : counter);
    sem_post(&done);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t a, b;

    how = argc > 1 ? argv[1] : "";
    sem_init(&go, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    sem_wait(&done);
    sem_post(&go);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    (void)spare;
    return 0;
}
END
finish
