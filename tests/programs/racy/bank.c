/*
 * claim: the bank example is reported with the field, both lines and both functions
 * build: -O0
 * build: -O1
 * build: -O2
 * run: --noise=var:acct->balance:1000/200 x 20
 * run: --budget=max --noise=random:300/100 x 20
 * expect: data-race on acct->balance at DEPOSIT and DEPOSIT
 * allow: data-race on acct->balance at AUDIT and DEPOSIT [read write]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { TELLERS = 2, DEPOSITS = 40 };

struct account {
    int number;
    long balance;
};

static void deposit(struct account *acct, long amount)
{
    acct->balance += amount; /* race: DEPOSIT */
}

static void *teller(void *arg)
{
    for (int i = 0; i < DEPOSITS; i++)
        deposit(arg, 10);
    return NULL;
}

static void *auditor(void *arg)
{
    struct account *acct = arg;
    for (int i = 0; i < DEPOSITS; i++)
        if (acct->balance < 0) /* race: AUDIT */
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
