/*
 * claim: a thread of a constructor that is about to end is waited for: the runs do not have it
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <time.h>

static pthread_t early;
static int count;

static void *work(void *arg)
{
    const struct timespec span = {.tv_nsec = 20000000};

    nanosleep(&span, NULL);
    count++;
    return arg;
}

__attribute__((constructor)) static void start_early(void)
{
    pthread_create(&early, NULL, work, NULL);
}

int main(void)
{
    pthread_join(early, NULL);
    return count == 1 ? 0 : 1;
}
