/*
 * claim: items of a queue are never predicted by hb; hybrid does not see who has taken them
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 * allow: data-race on item->number or item->square by hybrid
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { ITEMS = 40 };

struct item {
    struct item *next;
    long number;
    long square;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct item *list;
static int produced;
static long sum;

static void *producer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        struct item *item = malloc(sizeof *item);
        item->number = i;
        item->square = i * i;
        if (i % 10 == 5)
            usleep(1000); /* the consumer has to wait now, and not always */
        pthread_mutex_lock(&mutex);
        item->next = list;
        list = item;
        produced++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (list == NULL)
            pthread_cond_wait(&filled, &mutex);
        struct item *item = list;
        list = item->next;
        pthread_mutex_unlock(&mutex);
        sum += item->square - item->number; /* it is ours now */
        item->number = -1;
        free(item);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return produced != ITEMS || sum != 19760;
}
