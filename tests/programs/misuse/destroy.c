/*
 * claim: what is destroyed while a thread holds it, or will take it again, is reported
 * build: -O0
 * build: -O2
 * run: x 2
 * expect: sync-misuse on mutex at OTHER and TAKEN with reason=destroyed-while-held
 * expect: sync-misuse on own at OWN and MINE with reason=destroyed-while-held
 * expect: sync-misuse on lock at READ and READER with reason=destroyed-while-held
 * expect: sync-misuse at LENT and WAIT with reason=destroyed-while-awaited
 * tsan: no
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>

struct session {
    mtx_t mutex;
    cnd_t changed;
    int is_over;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t taken, done;

static void *keep(void *argument)
{
    struct session *session = argument;

    pthread_mutex_lock(&mutex);   /* lock: TAKEN */
    pthread_rwlock_rdlock(&lock); /* lock: READER */
    sem_post(&taken);
    sem_wait(&done);
    pthread_mutex_unlock(&mutex);
    mtx_lock(&session->mutex);
    sem_post(&taken);
    while (!session->is_over)
        cnd_wait(&session->changed, &session->mutex); /* wait: WAIT */
    mtx_unlock(&session->mutex);
    return NULL;
}

int main(void)
{
    struct session *session = calloc(1, sizeof(*session));
    pthread_t thread;

    mtx_init(&session->mutex, mtx_plain);
    cnd_init(&session->changed);
    sem_init(&taken, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, keep, session);
    sem_wait(&taken);
    pthread_mutex_destroy(&mutex); /* lock: OTHER */
    pthread_rwlock_destroy(&lock); /* lock: READ */
    pthread_mutex_lock(&own);      /* lock: MINE */
    pthread_mutex_destroy(&own);   /* lock: OWN */
    sem_post(&done);
    sem_wait(&taken);
    mtx_lock(&session->mutex); /* it waits now */
    mtx_unlock(&session->mutex);
    mtx_destroy(&session->mutex); /* lock: LENT */
    mtx_lock(&session->mutex);
    session->is_over = 1;
    cnd_signal(&session->changed);
    mtx_unlock(&session->mutex);
    pthread_join(thread, NULL);
    free(session);
    return 0;
}
