/*
 * claim: threads that all wait for another process are not reported
 * build: -O0
 * build: -O2
 * run: x 2
 * expect: none
 * tsan: no
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int go;
};

static struct shared *shared;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&shared->mutex);
    while (!shared->go)
        pthread_cond_wait(&shared->changed, &shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
    return arg;
}

static void initialize(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t cond;
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &mutex);
    pthread_condattr_init(&cond);
    pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &cond);
}

int main(void)
{
    pthread_t threads[2];
    int status;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 3;
    initialize();
    pthread_mutex_lock(&shared->mutex);
    pthread_cond_signal(&shared->changed); /* finds nobody */
    pthread_mutex_unlock(&shared->mutex);
    pid_t child = fork();
    if (child == 0) {
        usleep(700000);
        pthread_mutex_lock(&shared->mutex);
        shared->go = 1;
        pthread_cond_broadcast(&shared->changed);
        pthread_mutex_unlock(&shared->mutex);
        _exit(0);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return waitpid(child, &status, 0) != child || status != 0;
}
