/*
 * claim: refinement allows what statistics violate by design, and keeps the section of the bug
 * build: -O1
 * sections: refine --runs=8
 * env: ROUNDS=60
 * exit: 1
 * expect: atomicity-violation on balance at CHECK and UPDATE and UPDATE
 * fixed: yes
 */
#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;
static long requests;
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static long seen[2];

static void count_request(void)
{
    pthread_mutex_lock(&seen_lock);
    requests++;
    pthread_mutex_unlock(&seen_lock);
}

static void *withdraw(void *arg)
{
    count_request();
    usleep((unsigned)(random() % 2000)); /* seldom at the same time */
    pthread_mutex_lock(&lock);
    int enough = balance >= 100; /* access: CHECK */
    give_way(&lock);
    if (enough)
        balance -= 100; /* access: UPDATE */
    pthread_mutex_unlock(&lock);
    count_request();
    return arg;
}

/* Two readings that need not agree: nobody minds that requests come in meanwhile. */
static void *look(void *arg)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&seen_lock);
        seen[0] = requests;
        pthread_mutex_unlock(&seen_lock);
        usleep(200);
        pthread_mutex_lock(&seen_lock);
        seen[1] = requests;
        pthread_mutex_unlock(&seen_lock);
    }
    return arg;
}

int main(void)
{
    const char *wish = getenv("ROUNDS");
    int rounds = wish ? atoi(wish) : 2, overdrawn = 0;
    srandom((unsigned)getpid());
    for (long i = 0; i < rounds; i++) {
        pthread_t reader;
        balance = 100;
        pthread_create(&reader, NULL, look, NULL);
        meet_once(withdraw, withdraw, i);
        pthread_join(reader, NULL);
        overdrawn += balance < 0;
    }
    return overdrawn != 0 || seen[0] > seen[1];
}
