/*
 * claim: a wait with a timeout that is nothing but a clock is no lost signal
 * build: -O0
 * build: -O2
 * predict: notify
 * expect: none
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, stop, done, ticks;

static struct timespec in_milliseconds(long n)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += n * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

/* Does what there is to do, and something else every 5 ms. */
static void *housekeeper(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!stop) {
        struct timespec deadline = in_milliseconds(5);
        if (jobs == 0)
            pthread_cond_timedwait(&changed, &mutex, &deadline);
        ticks++;
        if (jobs > 0) {
            jobs--;
            pthread_mutex_unlock(&mutex);
            usleep(3000); /* signals find nobody meanwhile, and nobody needs them */
            pthread_mutex_lock(&mutex);
            done++;
        }
    }
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, housekeeper, NULL);
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&mutex);
        jobs++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
        usleep(1000);
    }
    /* Until all is done, and some ticks of nothing to do are over. */
    pthread_mutex_lock(&mutex);
    while (done < 4 || ticks < 9) {
        pthread_mutex_unlock(&mutex);
        usleep(1000);
        pthread_mutex_lock(&mutex);
    }
    stop = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return done > 4 || ticks == 0;
}
