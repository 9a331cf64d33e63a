/*
 * claim: two ends that are set under one lock, but one after the other, are seen torn
 * build: -O1 -fno-inline
 * expect: bug range_move on low, high
 * expect: nothing else
 *
 * No variable alone is to blame: each end is written once and read once. Only both together show
 * that the reader came in between (Wang & Stoller, theorem 4). range_width has both under one lock
 * without a break.
 */
#include <pthread.h>
#include <stdio.h>

struct range {
    pthread_mutex_t lock; /* of both ends */
    int low, high;
};

static struct range range = {PTHREAD_MUTEX_INITIALIZER, 0, 10};

void range_move(struct range *at, int low, int high)
{
    pthread_mutex_lock(&at->lock);
    at->low = low;
    pthread_mutex_unlock(&at->lock);
    pthread_mutex_lock(&at->lock);
    at->high = high;
    pthread_mutex_unlock(&at->lock);
}

int range_width(struct range *at)
{
    int low, high;

    pthread_mutex_lock(&at->lock);
    low = at->low;
    high = at->high;
    pthread_mutex_unlock(&at->lock);
    return high - low;
}

static void *move(void *unused)
{
    (void)unused;
    range_move(&range, 100, 110);
    return NULL;
}

static void *look(void *unused)
{
    (void)unused;
    printf("%s\n", range_width(&range) == 10 ? "whole" : "torn");
    return NULL;
}

int main(void)
{
    pthread_t mover, looker;

    pthread_create(&mover, NULL, move, NULL);
    pthread_create(&looker, NULL, look, NULL);
    pthread_join(mover, NULL);
    pthread_join(looker, NULL);
    return range.high - range.low != 10;
}
