/*
 * claim: locks in memory that was freed are other locks when it is allocated again
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct pair {
    pthread_mutex_t locks[2];
    int count;
};

static sem_t handed, returned;
static struct pair *slot;
static int total;

static struct pair *create(void)
{
    struct pair *pair = calloc(1, sizeof *pair);
    pthread_mutex_init(&pair->locks[0], NULL);
    pthread_mutex_init(&pair->locks[1], NULL);
    return pair;
}

static void use(struct pair *pair, int outer)
{
    pthread_mutex_lock(&pair->locks[outer]);
    pthread_mutex_lock(&pair->locks[!outer]);
    pair->count++;
    pthread_mutex_unlock(&pair->locks[!outer]);
    pthread_mutex_unlock(&pair->locks[outer]);
}

/* Whose pair it is takes the locks in an order of its own: nobody else has it. */
static void *consumer(void *arg)
{
    while (sem_wait(&handed) != 0)
        continue;
    use(slot, 1);
    sem_post(&returned);
    return arg;
}

static void *producer(void *arg)
{
    struct pair *mine = create();
    use(mine, 0);
    total += mine->count;
    free(mine);
    slot = create(); /* most likely where the other one was */
    sem_post(&handed);
    while (sem_wait(&returned) != 0)
        continue;
    total += slot->count;
    free(slot);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&handed, 0, 0);
    sem_init(&returned, 0, 0);
    pthread_create(&threads[0], NULL, consumer, NULL);
    pthread_create(&threads[1], NULL, producer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return total != 2;
}
