/*
 * claim: a balance that is checked in one critical section and changed in the next: test-and-use
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: test-and-use on balance from CHECK to TAKE
 * expect: atomicity-violation on balance at CHECK and TAKE and TAKE with section.kind=test-and-use
 * fixed: yes
 */
#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;

/* Two tellers withdraw at the same time; there is enough for one of them. */
static void *withdraw(void *arg)
{
    const long amount = 100;
    pthread_mutex_lock(&lock);
    int enough = balance >= amount; /* access: CHECK */
    give_way(&lock);
    if (enough)
        balance -= amount; /* access: TAKE */
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    int overdrawn = 0;
    for (int i = 0; i < MEETINGS; i++) {
        balance = 100;
        meet_once(withdraw, withdraw, i);
        overdrawn += balance < 0;
    }
    return IS_FIXED && overdrawn != 0;
}
