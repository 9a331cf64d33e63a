/*
 * claim: each look at a state and each change is locked, but not both together: two are the user
 * build: -O1
 * bug: assert
 * within: 500
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum state { IDLE, BUSY };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum state state;
static atomic_int users;

static void set(enum state to)
{
    pthread_mutex_lock(&lock);
    state = to;
    pthread_mutex_unlock(&lock);
}

#ifdef FIXED

static bool begin(void)
{
    bool was_idle;
    pthread_mutex_lock(&lock);
    was_idle = state == IDLE;
    state = BUSY;
    pthread_mutex_unlock(&lock);
    return was_idle;
}

#else

static enum state get(void)
{
    enum state seen;
    pthread_mutex_lock(&lock);
    seen = state;
    pthread_mutex_unlock(&lock);
    return seen;
}

static bool begin(void)
{
    if (get() != IDLE)
        return false;
    set(BUSY);
    return true;
}

#endif

static void *work(void *arg)
{
    if (begin()) {
        assert(atomic_fetch_add(&users, 1) == 0);
        atomic_fetch_sub(&users, 1);
        set(IDLE);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
