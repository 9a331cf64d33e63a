/*
 * Producer/consumer: a bounded queue with a mutex and two condition variables.
 *
 * Two producers fill blocks of 4 KiB with text-like bytes, two consumers count the letters and
 * digest the block, then give the block back through a second queue. Ownership of the payload moves
 * from thread to thread by the queue alone.
 */
#include "bench.h"

#include <assert.h>

enum { PRODUCERS = 2, CONSUMERS = 2, CAPACITY = 16, BLOCK = 4096 };

struct block {
    uint64_t seed;
    unsigned char text[BLOCK];
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    struct block *slot[CAPACITY];
    size_t head, length;
};

struct result {
    _Alignas(64) uint64_t digest;
    uint64_t letters[256];
};

static struct queue filled, empty;
static struct result result[CONSUMERS];
static size_t blocks_per_producer;

static void queue_init(struct queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    pthread_cond_init(&queue->not_full, NULL);
}

static void queue_put(struct queue *queue, struct block *block)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->length == CAPACITY)
        pthread_cond_wait(&queue->not_full, &queue->lock);
    queue->slot[(queue->head + queue->length++) % CAPACITY] = block;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

static struct block *queue_take(struct queue *queue)
{
    struct block *block;

    pthread_mutex_lock(&queue->lock);
    while (queue->length == 0)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    block = queue->slot[queue->head];
    queue->head = (queue->head + 1) % CAPACITY;
    queue->length--;
    pthread_cond_signal(&queue->not_full);
    pthread_mutex_unlock(&queue->lock);
    return block;
}

static void produce(size_t self)
{
    for (size_t i = 0; i < blocks_per_producer; i++) {
        struct block *block = queue_take(&empty);
        uint64_t random = bench_mix(self << 32 | i);
        block->seed = random;
        for (size_t j = 0; j < BLOCK; j++) {
            if (j % 8 == 0)
                bench_random(&random);
            block->text[j] = (unsigned char)('a' + (random >> (8 * (j % 8)) & 15));
        }
        queue_put(&filled, block);
    }
    queue_put(&filled, NULL); /* each producer ends one consumer */
}

static void consume(struct result *into)
{
    struct block *block;

    while ((block = queue_take(&filled)) != NULL) {
        uint64_t digest = block->seed;
        for (size_t j = 0; j < BLOCK; j++) {
            into->letters[block->text[j]]++;
            digest = (digest ^ block->text[j]) * UINT64_C(1099511628211);
        }
        into->digest += digest;
        queue_put(&empty, block);
    }
}

static void *stage(void *arg)
{
    size_t self = (uintptr_t)arg;

    if (self < PRODUCERS)
        produce(self);
    else
        consume(&result[self - PRODUCERS]);
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    static_assert(PRODUCERS == CONSUMERS, "each producer ends one consumer");
    blocks_per_producer = bench_scaled(argc, argv, 40000);
    queue_init(&filled);
    queue_init(&empty);
    for (size_t i = 0; i < CAPACITY; i++)
        queue_put(&empty, bench_alloc(sizeof(struct block)));
    bench_threads(PRODUCERS + CONSUMERS, stage);
    for (size_t i = 0; i < CONSUMERS; i++) {
        sum += result[i].digest;
        for (size_t j = 0; j < 256; j++)
            sum += bench_mix(j) * result[i].letters[j];
    }
    bench_print(sum);
    return 0;
}
