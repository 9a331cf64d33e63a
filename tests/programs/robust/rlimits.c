/*
 * claim: little address space, few files and small stacks are enough
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:300/50 x 4
 * run: x 3
 * expect: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void limit(int what, rlim_t value)
{
    struct rlimit limits = {value, value};
    setrlimit(what, &limits);
}

static void *work(void *arg)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
        free(malloc(1000));
    }
    return arg;
}

/* Starts itself again, so that the limits hold from the first instruction on. */
int main(int argc, char **argv)
{
    pthread_t threads[4];
    if (argc < 2) {
        limit(RLIMIT_AS, 512UL << 20);
        limit(RLIMIT_NOFILE, 8);
        limit(RLIMIT_STACK, 256 << 10);
        limit(RLIMIT_NPROC, 100000);
        limit(RLIMIT_FSIZE, 1 << 20);
        execl("/proc/self/exe", argv[0], "limited", (char *)NULL);
        return 2;
    }
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 3;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return counter != 400;
}
