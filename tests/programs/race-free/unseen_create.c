/*
 * claim: who joins a thread that nobody saw being created comes after it, whether it was known by then or not
 * build: -O1
 * run: x 3
 * run: --budget=max
 * predict: hb
 * tsan: no
 * expect: none
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static int value;

/* It is known with its first access, when it is being joined already. */
static void *late(void *arg)
{
    usleep(20000);
    value++;
    return arg;
}

/* It is known when its memory has been another one's. */
static void *early(void *arg)
{
    value++;
    return arg;
}

int main(void)
{
    pthread_t thread;

    create = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
        dlopen("libc.so.6", RTLD_NOW), "pthread_create");
    for (int i = 0; i < 20; i++) {
        if (i % 4 == 0 ? create(&thread, NULL, late, NULL)
            : i % 4 == 1 ? create(&thread, NULL, early, NULL)
                         : pthread_create(&thread, NULL, i % 4 == 2 ? late : early, NULL))
            return 2;
        pthread_join(thread, NULL);
        value++;
    }
    return value != 40;
}
