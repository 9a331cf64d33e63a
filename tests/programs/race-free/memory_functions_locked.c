/*
 * claim: memcpy, memset, memmove, strings and struct copies under a lock are never reported
 * build: -O0
 * build: -O2
 * build: -O3 -march=native
 * run: --budget=max --noise=random:50/20 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 300 };

struct record {
    char text[40];
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record shared;
static char scratch[64];

static void *work(void *arg)
{
    long broken = 0;
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct record copy;
        size_t length = (size_t)i % 30;
        pthread_mutex_lock(&lock);
        copy = shared;
        broken += copy.number != (int)strlen(copy.text);
        memset(scratch, 'x', sizeof(scratch));
        scratch[length] = 0;
        strcpy(shared.text, scratch);
        memmove(scratch + 1, scratch, length);
        shared.number = snprintf(copy.text, sizeof(copy.text), "%s", shared.text);
        memcpy(&scratch[8], &shared.number, sizeof(int));
        pthread_mutex_unlock(&lock);
    }
    return (void *)broken;
}

int main(void)
{
    pthread_t threads[3];
    long broken = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        broken += (long)result;
    }
    return broken != 0;
}
