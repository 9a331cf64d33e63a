#!/bin/bash
# needs: compiler
# Programs that run side by side in one directory and disturb each other: what comes of that is no bug of the threads.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >locked.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];

    if (flock(open("LOCK", O_CREAT | O_RDWR, 0600), LOCK_EX | LOCK_NB))
        return 1; /* another one is at work */
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
darn cc -g -O1 locked.c -o locked -pthread || exit 1

claim "a failure that another run has caused is never confirmed"
for seed in 1 2 3 4 5; do
    try darn explore --schedules=2000 --jobs=2 --keep-going --seed=$seed -- ./locked
    expect_lacks "$err" "confirmed"
    expect_has "$err" "--jobs=1 helps"
done
try darn hunt --seconds=5 --jobs=2 -o out -- ./locked
expect_status 0
expect_lacks "$err" "confirmed]"
expect_has "$err" "--jobs=1 makes one after the other"

claim "one after the other, it does not happen"
try darn explore --schedules=500 --jobs=1 -- ./locked
expect_status 0

finish
