/*
 * claim: a lock that was given back inside a section is closed to others however they take it: with a limit, by trying,
 *        or at the end of a wait; and no limit is missed because of that
 * build: -O1 -DHOW=TIMED
 * build: -O1 -DHOW=CLOCK
 * build: -O1 -DHOW=C11
 * build: -O1 -DHOW=TRY
 * build: -O1 -DHOW=COND
 * build: -O1 -DHOW=TOO_LATE
 * build: -O1 -DHOW=READ_WRITE
 * build: -O1 -DHOW=READ_WRITE_CLOCK
 * build: -O1 -DHOW=READ_WRITE_TRY
 * build: -O1 -DHOW=READ_WRITE_TOO_LATE
 * alone: fails
 * with: block
 * certain: block
 * runs: 2
 * heals: seats
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum {
    TIMED,
    CLOCK,
    C11,
    TRY,
    COND,
    TOO_LATE,
    READ_WRITE,
    READ_WRITE_CLOCK,
    READ_WRITE_TRY,
    READ_WRITE_TOO_LATE
};

static union {
    pthread_mutex_t mutex;
    mtx_t c11;
} lock;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static volatile long seats;
static _Atomic int waiting, inside, arrived, gone, go;

static int is_late(void)
{
    return HOW == TOO_LATE || HOW == READ_WRITE_TOO_LATE;
}

static void take(void)
{
    if (HOW >= READ_WRITE)
        pthread_rwlock_wrlock(&rwlock);
    else
        pthread_mutex_lock(&lock.mutex);
}

static void give(void)
{
    if (HOW >= READ_WRITE)
        pthread_rwlock_unlock(&rwlock);
    else
        pthread_mutex_unlock(&lock.mutex);
}

static struct timespec after(clockid_t clock, long milliseconds)
{
    struct timespec now;
    clock_gettime(clock, &now);
    long sum = now.tv_nsec + milliseconds % 1000 * 1000000;
    return (struct timespec){now.tv_sec + milliseconds / 1000 + sum / 1000000000, sum % 1000000000};
}

/* Whether it was taken. */
static int take_somehow(void)
{
    struct timespec until = after(CLOCK_REALTIME, is_late() ? 30 : 15000);
    struct timespec by_clock = after(CLOCK_MONOTONIC, 15000);

    switch (HOW) {
    case CLOCK:
        return pthread_mutex_clocklock(&lock.mutex, CLOCK_MONOTONIC, &by_clock) == 0;
    case C11:
        return mtx_timedlock(&lock.c11, &until) == thrd_success;
    case TRY:
        while (pthread_mutex_trylock(&lock.mutex))
            usleep(100);
        return 1;
    case COND:
        return 1;
    case READ_WRITE:
    case READ_WRITE_TOO_LATE:
        return pthread_rwlock_timedwrlock(&rwlock, &until) == 0;
    case READ_WRITE_CLOCK:
        return pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &by_clock) == 0;
    case READ_WRITE_TRY:
        while (pthread_rwlock_trywrlock(&rwlock))
            usleep(100);
        return 1;
    default:
        return pthread_mutex_timedlock(&lock.mutex, &until) == 0;
    }
}

static void *guest(void *taken)
{
    if (HOW == COND) {
        take();
        waiting = 1;
        while (!go)
            pthread_cond_wait(&cond, &lock.mutex);
    } else {
        waiting = 1;
        while (!inside)
            usleep(100);
    }
    arrived = 1;
    if (take_somehow()) {
        seats = seats + 1;
        give();
        *(int *)taken = 1;
    }
    gone = 1;
    return NULL;
}

/* As if nobody could come in between. */
static void reserve(void)
{
    take();
    long seen = seats;
    give();
    inside = 1;
    go = 1;
    if (HOW == COND)
        pthread_cond_signal(&cond);
    else
        while (!arrived)
            usleep(100);
    for (int i = 0; i < 50 || (is_late() && !gone); i++)
        usleep(1000);
    take();
    seats = seen + 1;
    give();
}

int main(void)
{
    pthread_t other;
    int taken = 0;

    if (mtx_init(&lock.c11, mtx_timed) || pthread_create(&other, NULL, guest, &taken))
        return 2;
    while (!waiting)
        usleep(100);
    reserve();
    pthread_join(other, NULL);
    if (seats == 1 + taken && (taken || is_late()))
        return 0;
    fprintf(stderr, "%ld seats, not %d\n", seats, 1 + taken);
    return 1;
}
