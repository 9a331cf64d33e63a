/*
 * claim: a wait gives back one of two locks; who should signal needs the other one first
 * build: -O1
 * bug: deadlock
 * within: 100
 * fixed: yes
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items, calls;

static void *take(void *arg)
{
    pthread_mutex_lock(&outer);
    calls++;
#ifdef FIXED
    pthread_mutex_unlock(&outer);
#endif
    pthread_mutex_lock(&inner);
    while (items == 0)
        pthread_cond_wait(&changed, &inner);
    items--;
    pthread_mutex_unlock(&inner);
#ifndef FIXED
    pthread_mutex_unlock(&outer);
#endif
    return arg;
}

static void *put(void *arg)
{
    pthread_mutex_lock(&outer);
    calls++;
    pthread_mutex_lock(&inner);
    items++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, put, NULL);
    usleep(30000); /* usually the item is there by then */
    pthread_create(&threads[1], NULL, take, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return calls != 2;
}
