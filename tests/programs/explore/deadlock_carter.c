/*
 * claim: two groups share a room; who waits for it keeps the lock that those inside need to leave
 * build: -O1
 * bug: deadlock
 * within: 20
 * fixed: yes
 */
#include <pthread.h>
#include <semaphore.h>

/* The first of a group takes the room for all of it, the last one gives it back. */
struct group {
    pthread_mutex_t *lock;
    int inside;
};

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static struct group groups[2] = {{&shared, 0}, {&other, 0}};
#else
static struct group groups[2] = {{&shared, 0}, {&shared, 0}};
#endif
static sem_t room;

static void *visit(void *arg)
{
    struct group *group = arg;
    pthread_mutex_lock(group->lock);
    if (++group->inside == 1)
        sem_wait(&room);
    pthread_mutex_unlock(group->lock);

    pthread_mutex_lock(group->lock);
    if (--group->inside == 0)
        sem_post(&room);
    pthread_mutex_unlock(group->lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&room, 0, 1);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, visit, &groups[i % 2]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return groups[0].inside != 0 || groups[1].inside != 0;
}
