/*
 * claim: looked up under the read lock, entered under the write lock, without another look: twice
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static bool known;
static int entries;

static void *look_up(void *arg)
{
    bool found;
    pthread_rwlock_rdlock(&lock);
    found = known;
    pthread_rwlock_unlock(&lock);
    if (found)
        return arg;
    pthread_rwlock_wrlock(&lock);
#ifdef FIXED
    if (!known)
#endif
        entries++;
    known = true;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, look_up, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(entries == 1);
    return 0;
}
