/*
 * claim: where the optimizer clears two members at once, the race is on the one that the other thread reads
 * build: -O0
 * build: -O1
 * build: -O2
 * run: --noise=var:cancel:1000/1000 x 3
 * run: --budget=max x 3
 * expect: data-race on request->cancel or waiting->cancel
 */
#include <pthread.h>
#include <stdlib.h>

#include "../unseen.h"

struct request {
    int number;
    void (*cancel)(void);
    void *argument;
};

static struct request *waiting;
static void *volatile kept;

static __attribute__((noinline)) void stop(struct request *request)
{
    void *argument = request->argument;

    request->cancel = NULL;
    request->argument = NULL;
    kept = argument;
}

static void *look(void *unused)
{
    unseen_wait();
    if (waiting->cancel)
        waiting->cancel();
    return unused;
}

int main(void)
{
    pthread_t thread;

    waiting = calloc(1, sizeof(*waiting));
    pthread_create(&thread, NULL, look, NULL);
    stop(waiting);
    unseen_tell();
    pthread_join(thread, NULL);
    free(waiting);
    return kept != NULL;
}
