/*
 * claim: who did not get the semaphore gives it back all the same: two are inside
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t entry;
static atomic_int inside;

static void *work(void *arg)
{
    if (sem_trywait(&entry) != 0)
        goto out;
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
#ifdef FIXED
    sem_post(&entry);
out:
#else
out:
    sem_post(&entry);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&entry, 0, 1);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
