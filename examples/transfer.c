/*
 * Two tellers move money between two accounts, one in each direction. Each takes the lock of the
 * account that pays first: in different orders. Mostly it goes well, for they are seldom busy at
 * the same time; once in a while both hold one lock and wait for the other, for ever.
 *
 * darn run --detect-deadlocks=1 sees it in a run that goes well.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { DAYS = 30 };

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 1000};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 1000};

static void transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *save(void *unused)
{
    for (int day = 0; day < DAYS; day++) {
        transfer(&current, &savings, 100);
        usleep(1000);
    }
    return unused;
}

static void *spend(void *unused)
{
    for (int day = 0; day < DAYS; day++) {
        usleep(1000);
        transfer(&savings, &current, 70);
    }
    return unused;
}

int main(void)
{
    pthread_t saver, spender;

    if (pthread_create(&saver, NULL, save, NULL) || pthread_create(&spender, NULL, spend, NULL))
        return 1;
    pthread_join(saver, NULL);
    pthread_join(spender, NULL);
    printf("savings %ld, current %ld\n", savings.balance, current.balance);
    return 0;
}
