/*
 * claim: heap blocks handed over through a locked queue are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdlib.h>

enum { ITEMS = 200, SIZE = 8 };

struct block {
    struct block *next;
    int sum, values[SIZE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct block *queue;
static long total;

static void *producer(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        struct block *block = malloc(sizeof(*block));
        for (int j = 0; j < SIZE; j++)
            block->values[j] = i + j;
        block->sum = 0;
        pthread_mutex_lock(&lock);
        block->next = queue;
        queue = block;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *consumer(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (queue == NULL)
            pthread_cond_wait(&filled, &lock);
        struct block *block = queue;
        queue = block->next;
        pthread_mutex_unlock(&lock);

        for (int j = 0; j < SIZE; j++)
            block->sum += block->values[j];

        pthread_mutex_lock(&lock);
        total += block->sum;
        pthread_mutex_unlock(&lock);
        free(block);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? consumer : producer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return total != 2L * (SIZE * ITEMS * (ITEMS - 1) / 2 + ITEMS * SIZE * (SIZE - 1) / 2);
}
