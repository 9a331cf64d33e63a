/*
 * claim: a copy asks for the size, then for the elements: cleared in between, it has null pointers
 * build: -O1
 * bug: crash
 * within: 20
 * fixed: yes
 */
#include <pthread.h>
#include <stddef.h>

enum { SIZE = 2 };

struct vector {
    pthread_mutex_t lock;
    int size;
    const int *elements[SIZE];
};

static const int one = 1, two = 2;
static struct vector vector = {PTHREAD_MUTEX_INITIALIZER, SIZE, {&one, &two}};
static int sum;

static void *copy(void *arg)
{
    const int *copied[SIZE] = {NULL, NULL};
    int size;
    pthread_mutex_lock(&vector.lock);
    size = vector.size;
#ifndef FIXED
    pthread_mutex_unlock(&vector.lock);
    pthread_mutex_lock(&vector.lock);
#endif
    for (int i = 0; i < vector.size; i++)
        copied[i] = vector.elements[i];
    pthread_mutex_unlock(&vector.lock);
    for (int i = 0; i < size; i++)
        sum += *copied[i];
    return arg;
}

static void *clear(void *arg)
{
    pthread_mutex_lock(&vector.lock);
    vector.size = 0;
    pthread_mutex_unlock(&vector.lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, copy, NULL);
    pthread_create(&threads[1], NULL, clear, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum != 0 && sum != 3;
}
