/*
 * claim: data behind a named semaphore is never reported
 * build: -O1
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static sem_t *lock;
static long counter;

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(lock);
        counter++;
        sem_post(lock);
    }
    return NULL;
}

int main(void)
{
    char name[64];
    pthread_t threads[2];
    snprintf(name, sizeof(name), "/darn-test-%d", (int)getpid());
    lock = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    if (lock == SEM_FAILED)
        return 2;
    sem_unlink(name);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sem_close(lock);
    return counter != 2 * ROUNDS;
}
