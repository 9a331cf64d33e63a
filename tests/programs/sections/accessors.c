/*
 * claim: copies of an inlined function that belong to other calls are no part of the section
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * runs: 3
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long value, sum;

static long get(void)
{
    return value;
}

static void put(long number)
{
    value = number;
}

/* The one place where a value that was read is written back. */
static void add(void)
{
    pthread_mutex_lock(&lock);
    put(get() + 1);
    pthread_mutex_unlock(&lock);
}

static void look(void)
{
    pthread_mutex_lock(&lock);
    sum ^= get();
    pthread_mutex_unlock(&lock);
}

static void set(long number)
{
    pthread_mutex_lock(&lock);
    put(number);
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    for (long i = 0; i < ROUNDS; i++) {
        look();
        set(i);
        add();
    }
    return arg;
}

int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
