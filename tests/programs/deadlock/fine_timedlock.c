/*
 * claim: two threads that want each other's mutex for a while only are not reported
 * build: -O0
 * build: -O2
 * run: x 2
 * expect: none
 */
#include <pthread.h>
#include <time.h>

static pthread_barrier_t met;
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int count[2], late[2];

static void *work(void *arg)
{
    long self = (long)arg;
    struct timespec deadline;
    pthread_mutex_lock(&locks[self]);
    pthread_barrier_wait(&met);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += (self + 1) * 150000000;
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    if (pthread_mutex_timedlock(&locks[!self], &deadline) == 0) {
        count[self]++;
        pthread_mutex_unlock(&locks[!self]);
    } else {
        late[self]++;
    }
    pthread_mutex_unlock(&locks[self]);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&met, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count[0] + late[0] != 1 || count[1] + late[1] != 1 || late[0] + late[1] == 0;
}
