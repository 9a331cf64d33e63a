/*
 * claim: spin locks that are taken in different orders are a deadlock, and not just a run without end
 * build: -O0
 * build: -O2
 * bug: deadlock
 * within: 20
 * fixed: yes
 */
#include <pthread.h>

static pthread_spinlock_t first, second;
static int shared;

static void *forward(void *none)
{
    pthread_spin_lock(&first);
    pthread_spin_lock(&second);
    shared++;
    pthread_spin_unlock(&second);
    pthread_spin_unlock(&first);
    return none;
}

static void *backward(void *none)
{
#ifdef FIXED
    return forward(none);
#else
    pthread_spin_lock(&second);
    pthread_spin_lock(&first);
    shared++;
    pthread_spin_unlock(&first);
    pthread_spin_unlock(&second);
    return none;
#endif
}

int main(void)
{
    pthread_t one, two;

    pthread_spin_init(&first, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&second, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&one, NULL, forward, NULL);
    pthread_create(&two, NULL, backward, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
