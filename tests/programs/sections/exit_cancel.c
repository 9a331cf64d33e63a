/*
 * claim: a thread that is cancelled leaves the section
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: load-and-store on count from ENTRY to END
 * runs: 5
 * expect: none
 */
#include <pthread.h>
#include <unistd.h>

enum { ENTER = 1, LEAVE = 2, ROUNDS = 30 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

/* The thread is over while it is in its section; it does not keep the lock. */
static void give_up(void)
{
    pthread_mutex_unlock(&lock);
    for (;;)
        pause(); /* until somebody cancels it */
}

__attribute__((noinline)) static void step(int how)
{
    long seen = 0;
    if (how & ENTER)
        seen = count; /* access: ENTRY */
    if (how & LEAVE)
        give_up();
    count = seen + 1; /* access: END */
}

static void *steps(void *arg)
{
    pthread_mutex_lock(&lock);
    step((int)(long)arg);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, steps, (void *)(ENTER | LEAVE));
        usleep(i % 2 ? 500 : 0); /* inside, or perhaps before */
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        pthread_mutex_lock(&lock);
        count = 100;
        pthread_mutex_unlock(&lock);
        pthread_create(&thread, NULL, steps, NULL);
        pthread_join(thread, NULL);
    }
    return count != 1;
}
