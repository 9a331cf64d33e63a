/*
 * claim: free leaves the section: the block is another variable when it is given out again
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * sections: learn
 * inferred: load-and-store on item->count from ENTRY to END
 * runs: 5
 * expect: none
 */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

enum { ENTER = 1, LEAVE = 2, ROUNDS = 30 };

/* Large enough not to be kept by the thread that frees it. */
struct item {
    long count;
    char rest[4096];
};

static pthread_barrier_t barrier;
static struct item *volatile first; /* for comparison only */
static int reused;

/* By way of a volatile variable: the compiler must not know that a new block is no old one. */
static struct item *make(void)
{
    struct item *volatile item = calloc(1, sizeof(*item));
    return item;
}

__attribute__((noinline)) static void step(struct item *item, int how)
{
    long seen = 0;
    if (how & ENTER)
        seen = item->count; /* access: ENTRY */
    if (how & LEAVE) {
        free(item);
        return;
    }
    item->count = seen + 1; /* access: END */
}

/* A calm round, to learn from: both use the same block, one after the other. */
static struct item *handed;

static void calm_round(int is_local)
{
    if (is_local) {
        handed = make();
        step(handed, ENTER);
    }
    pthread_barrier_wait(&barrier);
    if (!is_local)
        handed->count = 100;
    pthread_barrier_wait(&barrier);
    if (is_local)
        free(handed);
}

static void local_round(void)
{
    struct item *item = make();
    first = item;
    step(item, ENTER | LEAVE);
    pthread_barrier_wait(&barrier); /* the other one has a block, too */
    pthread_barrier_wait(&barrier);
    item = make();
    step(item, 0);
    free(item);
}

static void remote_round(void)
{
    struct item *item;
    pthread_barrier_wait(&barrier);
    item = make();
    reused += item == first;
    item->count = 100;
    free(item);
    pthread_barrier_wait(&barrier);
}

static void *local(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        getenv("CALM") ? calm_round(1) : local_round();
    return arg;
}

static void *remote(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        getenv("CALM") ? calm_round(0) : remote_round();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    mallopt(M_ARENA_MAX, 1);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, local, NULL);
    pthread_create(&threads[1], NULL, remote, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return !getenv("CALM") && reused == 0;
}
