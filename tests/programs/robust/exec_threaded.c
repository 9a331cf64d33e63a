/*
 * claim: exec in a threaded program starts over, and the new program is watched like any other
 * build: -O1
 * run: --budget=max --noise=random:200/100 x 6
 * run: x 3
 * args: first
 * exit: 9
 * expect: none
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static long busy[2];

static void *work(void *arg)
{
    for (long i = 0;; i++)
        *(volatile long *)arg = i;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    if (argc < 2)
        return 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &busy[i]);
    if (strcmp(argv[1], "first") == 0) {
        execl("/proc/self/exe", argv[0], "second", (char *)NULL);
        return 4;
    }
    return 9;
}
