/*
 * claim: a process that is made inside a section ends it without the threads that it lacks
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: load-and-store on count from READ to WRITE
 * runs: 5
 * expect: none
 */
#include <sys/wait.h>

#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;
static int failed; /* guarded by the lock */

static void *writes(void *arg)
{
    pthread_mutex_lock(&lock);
    count = 7;
    pthread_mutex_unlock(&lock);
    return arg;
}

/* In the child: another thread writes after the section that the child was born in. */
static int live(void)
{
    pthread_t thread;
    pthread_mutex_unlock(&lock);
    if (pthread_create(&thread, NULL, writes, NULL))
        return 1;
    pthread_join(thread, NULL);
    return count != 7;
}

static void *forks(void *arg)
{
    pid_t child = 0;
    pthread_mutex_lock(&lock);
    long seen = count; /* access: READ */
    if ((long)arg % 6 == 0)
        child = fork();
    count = seen + 1; /* access: WRITE */
    if ((long)arg % 6 == 0) {
        int status = 0;
        if (child == 0)
            _exit(live());
        failed |= child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *changes(void *arg)
{
    come_later((long)arg);
    return writes(NULL);
}

int main(void)
{
    meet(forks, changes);
    return failed;
}
