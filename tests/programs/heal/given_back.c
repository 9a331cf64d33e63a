/*
 * claim: who looks under the lock, gives it back, and acts under it again loses what others do in between, and nothing
 *        under block, also where all others are quick and have always held the lock
 * build: -O0
 * build: -O1
 * build: -O2
 * alone: fails
 * certain: block
 * runs: 10
 * heals: seats
 */
#include "crowd.h"

enum { GUESTS = 2, BOOKINGS = 20000, VISITS = 20, GAP = 3000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long seats;
static _Atomic long progress, made;
static _Atomic int is_over;

static void book(void)
{
    pthread_mutex_lock(&lock);
    seats = seats + 1;
    pthread_mutex_unlock(&lock);
}

/* As if nobody could come in between. */
static void reserve(void)
{
    pthread_mutex_lock(&lock);
    long seen = seats;
    pthread_mutex_unlock(&lock);
    dawdle(10000);
    pthread_mutex_lock(&lock);
    seats = seen + 1;
    pthread_mutex_unlock(&lock);
}

static void *guest(void *arg)
{
    long i;
    crowd_begin_apart((long)arg);
    for (i = 0; i < BOOKINGS || !is_over; i++) {
        book();
        progress++;
    }
    made += i;
    return arg;
}

static void *agent(void *arg)
{
    long wanted;
    for (int visit = 0; visit < VISITS; visit++) {
        wanted = progress + GAP;
        while (progress < wanted)
            usleep(100);
        reserve();
    }
    made += VISITS;
    is_over = 1;
    return arg;
}

int main(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, agent, NULL))
        abort();
    crowd(GUESTS, guest);
    pthread_join(other, NULL);
    if (seats == made)
        return 0;
    fprintf(stderr, "%ld seats, not %ld\n", seats, (long)made);
    return 1;
}
