/*
 * claim: what a daemon posts, which is nobody's child, is waited for; also by way of a file
 * build: -O1
 * ends: exit 0
 * schedules: 5
 * replay: no
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t *had, *opened;
static char name[] = "areaXXXXXX";

static sem_t *map(int flags, int file)
{
    return mmap(NULL, sizeof(sem_t), PROT_READ | PROT_WRITE, flags, file, 0);
}

static void be_daemon(void)
{
    munmap(opened, sizeof(sem_t));
    usleep(50000);
    sem_post(had);
    usleep(50000);
    opened = map(MAP_SHARED, open(name, O_RDWR));
    sem_post(opened);
    _exit(0);
}

static void *await_both(void *arg)
{
    sem_wait(had);
    sem_wait(opened);
    return arg;
}

int main(void)
{
    int file = mkstemp(name);
    pid_t child;
    pthread_t thread;

    if (file < 0 || ftruncate(file, sizeof(sem_t)))
        return 1;
    had = map(MAP_SHARED | MAP_ANONYMOUS, -1);
    opened = map(MAP_SHARED, file);
    close(file);
    sem_init(had, 1, 0);
    sem_init(opened, 1, 0);
    child = fork();
    if (child == 0) {
        if (fork() == 0)
            be_daemon();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_create(&thread, NULL, await_both, NULL);
    pthread_join(thread, NULL);
    unlink(name);
    return 0;
}
