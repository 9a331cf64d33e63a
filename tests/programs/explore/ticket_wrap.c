/*
 * claim: a ticket lock whose tickets wrap around too early: the third has the number of the first
 * build: -O1
 * bug: assert
 * within: 50
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 3 };

#ifdef FIXED
#define TICKETS 256u
#else
#define TICKETS 2u
#endif

static atomic_uint next_ticket, serving;
static volatile int inside;

static void *work(void *arg)
{
    int me = (int)(long)arg;
    unsigned ticket = atomic_fetch_add(&next_ticket, 1) % TICKETS;
    while (atomic_load(&serving) % TICKETS != ticket)
        sched_yield();
    inside = me;
    assert(inside == me);
    atomic_store(&serving, ticket + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
