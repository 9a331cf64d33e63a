/* Waits for a condition variable, with the variables that the loops around them test. */
#include <pthread.h>
#include <stdbool.h>
#include <threads.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
    bool closed;
    struct {
        int limit;
    } *settings;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
mtx_t other_lock;
cnd_t other;

/* site: flag wait - 0 ready */
/* site: flag read - 4 ready */
void flag(void)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* Sorted, and each of them once. */
/* site: several wait - 0 q->closed,q->count */
/* site: several read - 4 q->count */
/* site: several read - 1 q->closed */
void several(struct queue *q)
{
    while ((q->count == 0 || q->count > 100) && !q->closed)
        pthread_cond_wait(&q->changed, &q->lock);
}

static bool is_full(struct queue *q)
{
    return q->count == q->settings->limit;
}

/* site: by_function wait - 0 q->count,q->settings->limit */
/* may: by_function read _ _ _ */
void by_function(struct queue *q)
{
    while (is_full(q))
        pthread_cond_wait(&q->changed, &q->lock);
}

/* What the call says itself is not a variable. */
/* site: timed wait - 0 q->closed */
/* site: timed read - 1 q->closed */
int timed(struct queue *q, const struct timespec *until)
{
    int error = 0;

    while (!q->closed && error == 0)
        error = pthread_cond_timedwait(&q->changed, &q->lock, until);
    return error;
}

/* The nearest loop counts. */
/* site: nested wait - 0 q->count */
/* site: nested read - 4 q->count */
/* site: nested read - 1 q->closed */
/* may: nested write - 4 q->count */
void nested(struct queue *q)
{
    while (!q->closed) {
        pthread_mutex_lock(&q->lock);
        for (;;) {
            if (q->count > 0)
                break;
            pthread_cond_wait(&q->changed, &q->lock);
        }
        q->count--;
        pthread_mutex_unlock(&q->lock);
    }
}

/* A local copy is followed to what it was read from. */
/* site: generation wait - 0 q->count */
/* site: generation read - 4 q->count */
void generation(struct queue *q)
{
    int before = q->count, now;

    do {
        pthread_cond_wait(&q->changed, &q->lock);
        now = q->count;
    } while (now == before);
}

/* site: c11 wait - 0 ready */
/* site: c11 read - 4 ready */
void c11(void)
{
    while (!ready)
        cnd_wait(&other, &other_lock);
}

/* The caller's loop is not known here. */
/* site: hands_on wait - 0 - */
void hands_on(struct queue *q)
{
    pthread_cond_wait(&q->changed, &q->lock);
}
