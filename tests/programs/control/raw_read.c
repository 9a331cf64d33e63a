/*
 * claim: a system call that darn does not see waits for another thread: the turn is passed on
 * build: -O1
 * ends: exit 0
 * schedules: 4
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], messages;

static void *receive(void *arg)
{
    char byte = 0;
    if (syscall(SYS_read, ends[0], &byte, 1) != 1 || byte != 'x')
        return &ends;
    pthread_mutex_lock(&lock);
    messages++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *post(void *arg)
{
    pthread_mutex_lock(&lock);
    messages++;
    pthread_mutex_unlock(&lock);
    if (syscall(SYS_write, ends[1], "x", 1) != 1)
        return &ends;
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    int wrong = 0;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&threads[0], NULL, receive, NULL);
    pthread_create(&threads[1], NULL, post, NULL);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += result != NULL;
    }
    return wrong != 0 || messages != 2;
}
