/*
 * claim: a thread that is done before the next one is made still races with it, and that is reported in every plain run
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 5
 * expect: data-race on * at ADD and ADD
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPOSITS = 2000 };

struct account {
    int number;
    long balance;
};

static void deposit(struct account *acct, long n)
{
    acct->balance += n; /* race: ADD */
}

static void *teller(void *arg)
{
    for (int i = 0; i < DEPOSITS; i++)
        deposit(arg, 1 + i % 3);
    return NULL;
}

int main(void)
{
    struct account *acct = calloc(1, sizeof(*acct));
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, teller, acct);
    usleep(20000);
    pthread_create(&threads[1], NULL, teller, acct);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(acct);
    return 0;
}
