/*
 * claim: a log that is closed and opened again in two steps: what is written in between is lost
 * build: -O1
 * bug: exit
 * within: 20
 * fixed: yes
 */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_open = true;
static int files = 1, lines;

static void *rotate(void *arg)
{
    pthread_mutex_lock(&lock);
    is_open = false;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    files++;
    is_open = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *write_line(void *arg)
{
    pthread_mutex_lock(&lock);
    if (is_open)
        lines++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, rotate, NULL);
    pthread_create(&threads[1], NULL, write_line, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return files != 2 || lines != 1;
}
