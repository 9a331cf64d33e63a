/*
 * claim: a field of a heap block is reported by name, with the place of its allocation
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:item->stock:1000/1000 x 20
 * expect: data-race on item->stock at SELL and BUY with place.kind=heap
 */
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 300 };

struct item {
    char name[20];
    short shelf;
    int stock;
};

static pthread_barrier_t start;

static void *sell(void *arg)
{
    struct item *item = arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        item->stock = i; /* race: SELL */
    }
    return NULL;
}

static void *buy(void *arg)
{
    struct item *item = arg;
    long seen = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        seen += item->stock; /* race: BUY */
    }
    return (void *)seen;
}

int main(void)
{
    struct item *item = calloc(1, sizeof(*item));
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, sell, item);
    pthread_create(&threads[1], NULL, buy, item);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(item);
    return 0;
}
