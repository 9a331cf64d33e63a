/*
 * claim: a race in a forked child is reported, and the parent ends with its own status
 * tsan: no
 * build: -O1
 * run: --noise=var:counter:1000/1000 x 10
 * run: --budget=max --noise=random:1000/1000 x 10
 * exit: 5
 * expect: data-race on counter at COUNT and COUNT
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static pthread_barrier_t start;
static long counter;

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        counter++; /* race: COUNT */
    }
    return arg;
}

int main(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        pthread_t threads[2];
        pthread_barrier_init(&start, NULL, 2);
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, work, NULL);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        exit(0);
    }
    waitpid(child, &status, 0);
    /* The child succeeded: with a finding it ends with 66. */
    return WIFEXITED(status) && (WEXITSTATUS(status) == 66 || WEXITSTATUS(status) == 0) ? 5 : 6;
}
