/*
 * claim: unlocking what another thread holds, or nobody, is reported
 * build: -O0
 * build: -O2
 * run: x 2
 * expect: sync-misuse on mutex at OTHER and TAKEN with reason=held-by-other
 * expect: sync-misuse on mutex at TWICE with reason=not-held
 * expect: sync-misuse on lock at WRITTEN and WRITER with reason=held-by-other
 * expect: sync-misuse on idle at FREE with reason=not-held
 * tsan: no
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER, idle = PTHREAD_RWLOCK_INITIALIZER;
static sem_t taken, done;

static void *keep(void *unused)
{
    pthread_mutex_lock(&mutex);   /* lock: TAKEN */
    pthread_rwlock_wrlock(&lock); /* lock: WRITER */
    sem_post(&taken);
    sem_wait(&done);
    return unused;
}

int main(void)
{
    pthread_t thread;

    sem_init(&taken, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, keep, NULL);
    sem_wait(&taken);
    if (pthread_mutex_trylock(&mutex) == 0)
        return 2;
    pthread_mutex_unlock(&mutex); /* lock: OTHER */
    pthread_rwlock_unlock(&lock); /* lock: WRITTEN */
    pthread_mutex_unlock(&mutex); /* lock: TWICE */
    pthread_rwlock_wrlock(&idle);
    pthread_rwlock_unlock(&idle);
    pthread_rwlock_unlock(&idle); /* lock: FREE */
    sem_post(&done);
    pthread_join(thread, NULL);
    return 0;
}
