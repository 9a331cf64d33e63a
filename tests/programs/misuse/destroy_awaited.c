/*
 * claim: destroying a condition variable or a barrier that a thread waits for is reported
 * build: -O0 -DCONDITION
 * build: -O2 -DBARRIER
 * run: --halt-on-error x 2
 * hangs: yes
 * timeout: 20
 * expect: sync-misuse on object at END and WAIT with reason=destroyed-while-awaited
 * tsan: no
 */
#include <pthread.h>
#include <unistd.h>

#ifdef CONDITION
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t object = PTHREAD_COND_INITIALIZER;
#else
static pthread_barrier_t object;
#endif
static volatile int has_come;

static void *wait_for_it(void *unused)
{
#ifdef CONDITION
    pthread_mutex_lock(&mutex);
    __atomic_store_n(&has_come, 1, __ATOMIC_SEQ_CST);
    for (;;)
        pthread_cond_wait(&object, &mutex); /* wait: WAIT */
#else
    __atomic_store_n(&has_come, 1, __ATOMIC_SEQ_CST);
    pthread_barrier_wait(&object);    /* wait: WAIT */
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;

#ifndef CONDITION
    pthread_barrier_init(&object, NULL, 2);
#endif
    pthread_create(&thread, NULL, wait_for_it, NULL);
    while (!__atomic_load_n(&has_come, __ATOMIC_SEQ_CST))
        usleep(1000);
    usleep(300000);
#ifdef CONDITION
    pthread_cond_destroy(&object); /* lock: END */
#else
    pthread_barrier_destroy(&object); /* lock: END */
#endif
    pthread_join(thread, NULL);
    return 0;
}
