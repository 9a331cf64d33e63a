/*
 * claim: double-checked locking with a plain pointer is reported at every level of optimization, also where the compiler could
 *        make a static block of what is allocated once
 * build: -O0
 * build: -O1
 * build: -O2
 * run: x 20
 * run: --budget=max x 3
 * expect: data-race on settings at FIRST and SET
 * allow: data-race on *
 */
#include <pthread.h>
#include <stdlib.h>

#include "../unseen.h"

struct settings {
    int width, height;
};

static struct settings *settings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct settings *get(void)
{
    if (!settings) { /* race: FIRST */
        pthread_mutex_lock(&lock);
        if (!settings) {
            struct settings *made = malloc(sizeof(*made));

            if (!made)
                abort();
            made->width = 80;
            made->height = 25;
            settings = made; /* race: SET */
        }
        pthread_mutex_unlock(&lock);
    }
    return settings;
}

static void *early(void *arg)
{
    int *width = arg;

    *width = get()->width;
    unseen_tell();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int width = 0, height;

    if (pthread_create(&thread, NULL, early, &width))
        return 2;
    unseen_wait();
    height = get()->height;
    pthread_join(thread, NULL);
    return width != 80 || height != 25;
}
