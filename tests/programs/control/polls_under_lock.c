/*
 * claim: a thread that polls under a lock while another one needs it again and again does not hang
 * build: -O0
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <stddef.h>

enum { TIMES = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_done;

static void *work(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    is_done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused)
{
    int done = 0;

    while (!done) {
        pthread_mutex_lock(&lock);
        done = is_done;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
