/*
 * claim: an unprotected += is a section, and violated; a locked one is a section, and never is
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: load-and-store on balance from ADD to ADD
 * expect: atomicity-violation on balance at ADD and ADD and ADD with section.kind=load-and-store
 * allow: data-race on balance
 * fixed: yes
 */
#include <pthread.h>
#include <stdlib.h>

enum { TELLERS = 3, DEPOSITS = 50 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;

static void enter(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void *teller(void *arg)
{
    unsigned seed = 1;
    for (int i = 0; i < DEPOSITS; i++) {
        long amount = 1 + rand_r(&seed) % 10;
        enter();
        balance += amount; /* access: ADD */
        leave();
    }
    return arg;
}

int main(void)
{
    pthread_t threads[TELLERS];
    long sum = 0;
    unsigned seed = 1;
    for (int i = 0; i < DEPOSITS; i++)
        sum += 1 + rand_r(&seed) % 10;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < TELLERS; i++)
        pthread_create(&threads[i], NULL, teller, NULL);
    for (int i = 0; i < TELLERS; i++)
        pthread_join(threads[i], NULL);
#ifdef FIXED
    return balance != TELLERS * sum;
#else
    return balance > TELLERS * sum;
#endif
}
