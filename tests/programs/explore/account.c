/*
 * claim: a deposit and a withdrawal without a lock: one of the two is lost
 * build: -O1
 * bug: exit
 * within: 20
 * fixed: yes
 */
#include <pthread.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static int balance = 100;

static void change(int amount)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    balance = balance + amount;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void *deposit(void *arg)
{
    change(50);
    return arg;
}

static void *withdraw(void *arg)
{
    change(-30);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, deposit, NULL);
    pthread_create(&threads[1], NULL, withdraw, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return balance != 120;
}
