/*
 * claim: a queue that hands objects over under its lock, and signals after unlocking, is never reported
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb,deadlock,notify --runs=3
 * expect: none
 */
#include <pthread.h>
#include <stdlib.h>

enum { ITEMS = 300 };

struct item {
    struct item *next;
    long value, square;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct item *queue;
static long total;

static void *produce(void *arg)
{
    for (long i = 0; i < ITEMS; i++) {
        struct item *item = malloc(sizeof(*item));
        item->value = i;
        item->square = i * i;
        pthread_mutex_lock(&lock);
        item->next = queue;
        queue = item;
        pthread_mutex_unlock(&lock);
        pthread_cond_signal(&filled);
    }
    return arg;
}

static void *consume(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (!queue)
            pthread_cond_wait(&filled, &lock);
        struct item *item = queue;
        queue = item->next;
        total += item->value;
        pthread_mutex_unlock(&lock);
        if (item->square != item->value * item->value)
            abort();
        item->square = 0;
        free(item);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? consume : produce, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return total != 2L * (ITEMS - 1) * ITEMS / 2;
}
