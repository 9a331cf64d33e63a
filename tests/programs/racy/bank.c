/*
 * claim: the bank example is reported with the field, both lines and both functions
 * build: -O0
 * build: -O1
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:acct->balance:1000/500 x 20
 * run: --budget=max --noise=random:1000/200 x 20
 * expect: data-race on acct->balance at DEPOSIT and ANYONE
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { TELLERS = 2, DEPOSITS = 150 };

struct account {
    int number;
    long balance;
};

static void deposit(struct account *acct, long amount)
{
    acct->balance += amount; /* race: DEPOSIT ANYONE */
}

static void *teller(void *arg)
{
    unsigned seed = 1;
    for (int i = 0; i < DEPOSITS; i++)
        deposit(arg, 1 + rand_r(&seed) % 10);
    return NULL;
}

static void *auditor(void *arg)
{
    struct account *acct = arg;
    for (int i = 0; i < DEPOSITS; i++)
        if (acct->balance < 0) /* race: ANYONE */
            printf("account %d is overdrawn\n", acct->number);
    return NULL;
}

int main(void)
{
    struct account *acct = calloc(1, sizeof(*acct));
    pthread_t threads[TELLERS + 1];
    for (int i = 0; i <= TELLERS; i++)
        pthread_create(&threads[i], NULL, i < TELLERS ? teller : auditor, acct);
    for (int i = 0; i <= TELLERS; i++)
        pthread_join(threads[i], NULL);
    free(acct);
    return 0;
}
