/*
 * claim: a variable on the stack of a thread that waits until others are done with it is never reported, nor what lies there next
 * build: -O0
 * build: -O2
 * run: x 5
 * run: --budget=max x 5
 * predict: hb x 1
 * expect: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { ROUNDS = 60 };

struct lent {
    pthread_mutex_t lock;
    pthread_cond_t done;
    sem_t taken;
    long value;
    int is_done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t any = PTHREAD_COND_INITIALIZER;
static struct lent *offered;

static void *lend(void *arg)
{
    struct lent it = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
    sem_init(&it.taken, 0, 0);
    pthread_mutex_lock(&lock);
    offered = &it;
    pthread_cond_signal(&any);
    pthread_mutex_unlock(&lock);
    sem_wait(&it.taken);
    pthread_mutex_lock(&it.lock);
    while (!it.is_done)
        pthread_cond_wait(&it.done, &it.lock);
    pthread_mutex_unlock(&it.lock);
    if (it.value != 2)
        abort();
    return arg;
}

static void *use(void *arg)
{
    struct lent *it;
    pthread_mutex_lock(&lock);
    while (!offered)
        pthread_cond_wait(&any, &lock);
    it = offered;
    offered = NULL;
    pthread_mutex_unlock(&lock);
    it->value = 2;
    sem_post(&it->taken);
    pthread_mutex_lock(&it->lock);
    it->is_done = 1;
    pthread_cond_signal(&it->done);
    pthread_mutex_unlock(&it->lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < ROUNDS; i++) {
        pthread_create(&threads[0], NULL, lend, NULL);
        pthread_create(&threads[1], NULL, use, NULL);
        if (i % 2)
            pthread_detach(threads[0]);
        else
            pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
    }
    return 0;
}
