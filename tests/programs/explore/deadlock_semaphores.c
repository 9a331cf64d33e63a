/*
 * claim: semaphores used as locks and taken in opposite order: a deadlock without any owner
 * build: -O1
 * bug: deadlock
 * within: 100
 * fixed: yes
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t printer, scanner;
static int copies;

static void copy(sem_t *first, sem_t *second)
{
    sem_wait(first);
    sem_wait(second);
    copies++;
    sem_post(second);
    sem_post(first);
}

static void *scan_first(void *arg)
{
    copy(&scanner, &printer);
    return arg;
}

static void *print_first(void *arg)
{
#ifdef FIXED
    copy(&scanner, &printer);
#else
    copy(&printer, &scanner);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&printer, 0, 1);
    sem_init(&scanner, 0, 1);
    pthread_create(&threads[0], NULL, scan_first, NULL);
    pthread_create(&threads[1], NULL, print_first, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return copies != 2;
}
