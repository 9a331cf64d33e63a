/*
 * claim: data behind the try, timed and clock variants of a read-write lock is never reported
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>

enum { ROUNDS = 600 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long counter;

static struct timespec soon(clockid_t clock)
{
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_nsec += 200000;
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        when.tv_sec++;
    }
    return when;
}

static int try_write(int how)
{
    struct timespec when = soon(how == 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
    if (how == 0)
        return pthread_rwlock_trywrlock(&lock);
    if (how == 1)
        return pthread_rwlock_timedwrlock(&lock, &when);
    return pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &when);
}

static int try_read(int how)
{
    struct timespec when = soon(how == 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
    if (how == 0)
        return pthread_rwlock_tryrdlock(&lock);
    if (how == 1)
        return pthread_rwlock_timedrdlock(&lock, &when);
    return pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &when);
}

static void *writer(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (try_write(i % 3) != 0)
            sched_yield();
        counter++;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *reader(void *arg)
{
    long last = 0;
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        if (try_read(i % 3) != 0)
            continue;
        if (counter < last)
            return &counter;
        last = counter;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? reader : writer, NULL);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        if (result != NULL)
            return 1;
    }
    return counter != 2 * ROUNDS;
}
