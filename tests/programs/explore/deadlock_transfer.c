/*
 * claim: transfers lock two accounts in the order of their arguments: three in a circle deadlock
 * build: -O1
 * bug: deadlock
 * within: 20
 * fixed: yes
 */
#include <pthread.h>

enum { ACCOUNTS = 3 };

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[ACCOUNTS];

static void transfer(struct account *from, struct account *to, int amount)
{
    struct account *first = from, *second = to;
#ifdef FIXED
    if (to < from) {
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *pay(void *arg)
{
    int me = (int)(long)arg;
    transfer(&accounts[me], &accounts[(me + 1) % ACCOUNTS], 10);
    return NULL;
}

int main(void)
{
    pthread_t threads[ACCOUNTS];
    for (int i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&accounts[i].lock, NULL);
        accounts[i].balance = 100;
    }
    for (long i = 0; i < ACCOUNTS; i++)
        pthread_create(&threads[i], NULL, pay, (void *)i);
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < ACCOUNTS; i++) {
        if (accounts[i].balance != 100)
            return 1;
    }
    return 0;
}
