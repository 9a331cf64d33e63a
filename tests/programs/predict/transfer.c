/*
 * claim: one function that locks its two arguments is a deadlock with itself
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at TRANSFER and TRANSFER
 */
#include <pthread.h>
#include "../unseen.h"

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100},
                                     {PTHREAD_MUTEX_INITIALIZER, 100}};

static void transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock); /* lock: TRANSFER */
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *first(void *arg)
{
    transfer(&accounts[0], &accounts[1], 10);
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    transfer(&accounts[1], &accounts[0], 30);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    unseen_wait(); /* they never meet */
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return accounts[0].balance != 120 || accounts[1].balance != 80;
}
