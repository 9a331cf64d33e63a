/*
 * claim: memory shared by processes behind a process-shared mutex is never reported
 * build: -O1
 * run: --budget=max --noise=random:50/20 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 500 };

static struct shared {
    pthread_mutex_t lock;
    long counter;
} * shared;

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&shared->lock);
        shared->counter++;
        pthread_mutex_unlock(&shared->lock);
    }
    return NULL;
}

static void two_threads(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    pthread_mutexattr_t attr;
    int status;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &attr);
    pid_t child = fork();
    two_threads();
    if (child == 0)
        _exit(0);
    waitpid(child, &status, 0);
    return status != 0 || shared->counter != 4 * ROUNDS;
}
