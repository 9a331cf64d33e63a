/*
 * claim: a process that is made inside a section goes on, and makes threads, as if the others had left theirs
 * build: -O1
 * build: -O2
 * certain: block lock
 * bound: 20000
 * heals: count
 */
#include "crowd.h"

#include <sys/wait.h>

enum { ROUNDS = 6, ADDS = 50 };

static volatile long count;
static _Atomic int is_over;
static int failed; /* of the thread that forks */

__attribute__((noinline)) static void add(void)
{
    long seen = count;
    dawdle(50);
    count = seen + 1;
}

static void *adds(void *arg)
{
    for (int i = 0; i < ADDS; i++)
        add();
    return arg;
}

/* Two threads of the child's own. None of the parent's is there any more, wherever it was. */
static int live(void)
{
    pthread_t threads[2];
    long before = count;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, adds, NULL))
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count != before + 2 * ADDS;
}

__attribute__((noinline)) static void add_and_fork(void)
{
    int status = 0;
    long seen = count;
    pid_t child = fork();
    count = seen + 1;
    if (child == 0)
        _exit(live());
    failed |= child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static void *forks(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ROUNDS; i++)
        add_and_fork();
    is_over = 1;
    return arg;
}

static void *goes_on(void *arg)
{
    crowd_begin();
    while (!is_over)
        add();
    return arg;
}

int main(void)
{
    couple(forks, goes_on);
    return failed;
}
