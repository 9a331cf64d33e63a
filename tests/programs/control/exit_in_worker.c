/*
 * claim: exit in a thread ends the program, though main and another one wait for what never comes
 * build: -O1
 * ends: exit 3
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t never;
static int handled;

static void at_exit(void)
{
    if (++handled != 1)
        _exit(99);
}

static void *wait_for_ever(void *arg)
{
    sem_wait(&never);
    return arg;
}

static void *leave(void *arg)
{
    exit(3);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&never, 0, 0);
    atexit(at_exit);
    pthread_create(&threads[0], NULL, wait_for_ever, NULL);
    pthread_create(&threads[1], NULL, leave, NULL);
    pthread_join(threads[0], NULL);
    return 1;
}
