/*
 * claim: a consumer that looks once (`if`) and then waits takes from a buffer emptied by another
 * build: -O1
 * bug: assert
 * within: 2000
 * fixed: yes
 * compiler: is not in a loop
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

enum { CAPACITY = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int count;

static void *produce(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (count == CAPACITY)
            pthread_cond_wait(&not_full, &lock);
        count++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consume(void *arg)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (count == 0)
#else
    if (count == 0)
#endif
        pthread_cond_wait(&not_empty, &lock);
    assert(count > 0);
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, produce, NULL);
    usleep(30000); /* usually nobody has to wait for an item */
    pthread_create(&threads[1], NULL, consume, NULL);
    pthread_create(&threads[2], NULL, consume, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return count;
}
