/*
 * claim: data behind flock on two open files is never reported
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
#include <fcntl.h>

enum { ROUNDS = 500 };

static char path[] = "lock-XXXXXX";
static long counter;

static void *work(void *arg)
{
    int file = open(path, O_RDWR);
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        if (flock(file, LOCK_EX) != 0)
            return path;
        counter++;
        flock(file, LOCK_UN);
    }
    close(file);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    void *broken[2];
    if (mkstemp(path) < 0)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &broken[i]);
    unlink(path);
    return broken[0] != NULL || broken[1] != NULL || counter != 2 * ROUNDS;
}
