/*
 * A bank account with several tellers, and the classical bug: `acct->balance += amount` reads, adds
 * and writes, and nothing keeps another teller from doing the same in between: money gets lost.
 *
 *     darn cc -O1 -g bank.c -o bank -pthread
 *     darn run -- ./bank
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TELLERS = 3, CUSTOMERS = 1000, COINS = 1000, MICROSECONDS_BETWEEN = 100 };

struct account {
    int number;
    long balance;
};

struct teller {
    pthread_t thread;
    struct account *acct;
    unsigned seed;
    long taken; /* what the customers gave to this teller */
};

static void deposit(struct account *acct, long amount)
{
    acct->balance += amount;
}

/* Each customer brings a purse of coins, and each coin is paid in by itself. */
static void serve_customer(struct teller *teller)
{
    for (int i = 0; i < COINS; i++) {
        long coin = 1 + rand_r(&teller->seed) % 50;

        deposit(teller->acct, coin);
        teller->taken += coin;
    }
}

static void *work(void *arg)
{
    for (int i = 0; i < CUSTOMERS; i++) {
        serve_customer(arg);
        usleep(MICROSECONDS_BETWEEN);
    }
    return NULL;
}

int main(void)
{
    struct teller tellers[TELLERS];
    struct account *acct = malloc(sizeof(*acct));
    long taken = 0;

    if (acct == NULL)
        return 1;
    acct->number = 4711;
    acct->balance = 0;
    for (int i = 0; i < TELLERS; i++) {
        tellers[i] = (struct teller){.acct = acct, .seed = (unsigned)i};
        if (pthread_create(&tellers[i].thread, NULL, work, &tellers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < TELLERS; i++) {
        pthread_join(tellers[i].thread, NULL);
        taken += tellers[i].taken;
    }
    printf("account %d: balance %ld, should be %ld\n", acct->number, acct->balance, taken);
    free(acct);
    return 0;
}
