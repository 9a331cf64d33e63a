/*
 * claim: a flag that is cleared after its setter was started: the spin on it never ends
 * build: -O1
 * bug: hang
 * within: 20
 * fixed: yes
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int finished = 1; /* left over from the job before */

static void *work(void *arg)
{
    usleep(30000); /* usually main waits by then */
    atomic_store(&finished, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
#ifdef FIXED
    atomic_store(&finished, 0);
    pthread_create(&thread, NULL, work, NULL);
#else
    pthread_create(&thread, NULL, work, NULL);
    atomic_store(&finished, 0);
#endif
    while (!atomic_load(&finished))
        sched_yield();
    pthread_join(thread, NULL);
    return 0;
}
