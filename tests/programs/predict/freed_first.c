/*
 * claim: a block that one thread has freed before another uses it, with nothing that orders the two, is predicted, and so is the use of a lock in it
 * build: -O0
 * build: -O2
 * predict: hb x 2
 * expect: data-race on * at FREE and USE [free write]
 * expect: data-race on * at GONE and UNLOCK [free use]
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FREED = 0123 };

struct block {
    long links[2]; /* of libc, when it is free */
    long count;
    pthread_mutex_t lock;
};

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static struct block *block, *locked;

static void change(struct block *of, long by)
{
    pthread_mutex_lock(&of->lock);
    of->count += by;
    pthread_mutex_unlock(&of->lock);
}

static void *use(void *unused)
{
    change(block, 1);
    change(locked, 1);
    while (umask(0) != FREED) /* not before: nothing else that is known orders the two */
        usleep(1000);
    pthread_mutex_lock(&own); /* what comes now is recorded behind the free */
    pthread_mutex_unlock(&own);
    block->count = 1; /* access: USE */
    pthread_mutex_lock(&locked->lock);
    pthread_mutex_unlock(&locked->lock); /* access: UNLOCK */
    return unused;
}

static void *end(void *unused)
{
    usleep(100000);
    change(block, 2);
    change(locked, 2);
    free(locked); /* access: GONE */
    free(block);  /* access: FREE */
    umask(FREED);
    return unused;
}

static struct block *make(void)
{
    struct block *made = calloc(1, sizeof(*made));

    pthread_mutex_init(&made->lock, NULL);
    return made;
}

int main(void)
{
    pthread_t threads[2];

    umask(0);
    block = make();
    locked = make();
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, end, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
