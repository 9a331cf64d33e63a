/*
 * claim: a program that forks: the children run by themselves, the parent waits for them
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *arg)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static int status_of(pid_t child)
{
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* In a process with threads only what is safe in a signal handler may follow the fork. */
static void *fork_here(void *arg)
{
    pid_t child = fork();
    if (child == 0)
        _exit(8);
    *(int *)arg = status_of(child);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int from_thread = 0;
    pid_t child = fork();
    if (child == 0) { /* with a thread of its own */
        pthread_create(&threads[0], NULL, count, NULL);
        count(NULL);
        pthread_join(threads[0], NULL);
        _exit(5 + counter);
    }
    if (status_of(child) != 7)
        return 1;
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, fork_here, &from_thread);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return from_thread != 8 || counter != 1;
}
