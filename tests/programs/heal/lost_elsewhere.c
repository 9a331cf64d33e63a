/*
 * claim: a lock is given back in a section over one account; whoever comes to another account without its lock, right
 *        then, still waits for the one who is inside there
 * build: -O1
 * build: -O2
 * alone: fails
 * certain: block
 * runs: 10
 * heals: second.balance
 */
#include "slow.h"

enum { ROUNDS = 3, TRANSFERS = 3000 };

struct account {
    pthread_mutex_t lock;
    volatile long balance;
    char room[64];
};

static struct account first = {.lock = PTHREAD_MUTEX_INITIALIZER}, second = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Atomic long made;
static _Atomic int is_over, may_give, is_given;
static void (*volatile between)(void);

static void stay(void)
{
}

static void give_way(void)
{
    pthread_mutex_unlock(&first.lock);
    is_given = 1;
    dawdle(1000);
    pthread_mutex_lock(&first.lock);
}

static void deposit(struct account *account)
{
    pthread_mutex_lock(&account->lock);
    long seen = account->balance;
    be_slow();
    account->balance = seen + 1;
    pthread_mutex_unlock(&account->lock);
}

static void transfer(struct account *account)
{
    pthread_mutex_lock(&account->lock);
    long seen = account->balance;
    between();
    account->balance = seen + 1;
    pthread_mutex_unlock(&account->lock);
}

static void adjust(struct account *account)
{
    long seen = account->balance;
    dawdle(2000);
    account->balance = seen + 1;
}

static void *teller(void *arg)
{
    while (!is_over) {
        deposit(&second);
        progress++;
        made++;
    }
    return arg;
}

static void *clerk(void *arg)
{
    between = stay;
    for (int i = 0; i < TRANSFERS; i++)
        transfer(&first);
    while (!may_give)
        usleep(10);
    between = give_way;
    transfer(&first);
    return arg;
}

static void *stray(void *arg)
{
    await_slow();
    may_give = 1;
    while (!is_given)
        usleep(10);
    for (int i = 0; i < ROUNDS; i++)
        adjust(&second);
    made += ROUNDS;
    is_slow = 0;
    is_over = 1;
    return arg;
}

int main(void)
{
    void *(*roles[])(void *) = {teller, clerk, stray};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, roles[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    if (second.balance == made)
        return 0;
    fprintf(stderr, "the balance is %ld, not %ld\n", second.balance, (long)made);
    return 1;
}
