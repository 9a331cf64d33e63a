/*
 * claim: a deadlock in memory that could be shared, and that no other process has
 * build: -O1
 * bug: deadlock
 * within: 100
 * fixed: yes
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shared {
    sem_t printer, scanner;
    int copies;
} * shared;

static void copy(sem_t *first, sem_t *second)
{
    sem_wait(first);
    sem_wait(second);
    shared->copies++;
    sem_post(second);
    sem_post(first);
}

static void *scan_first(void *arg)
{
    copy(&shared->scanner, &shared->printer);
    return arg;
}

static void *print_first(void *arg)
{
#ifdef FIXED
    copy(&shared->scanner, &shared->printer);
#else
    copy(&shared->printer, &shared->scanner);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pid_t child;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared->printer, 1, 1);
    sem_init(&shared->scanner, 1, 1);
    child = fork();
    if (child == 0)
        _exit(0); /* it had a part in it */
    waitpid(child, NULL, 0);
    pthread_create(&threads[0], NULL, scan_first, NULL);
    pthread_create(&threads[1], NULL, print_first, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return shared->copies != 2;
}
