/*
 * claim: the program never sees the process that writes reports: no SIGCHLD, nothing to wait for
 * tsan: no
 * build: -O1
 * run: --noise=var:counter:1000/1000 x 10
 * run: --budget=max --noise=random:1000/1000 x 10
 * expect: data-race on counter at COUNT and COUNT
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t start;
static long counter;
static volatile sig_atomic_t children;

static void child_ended(int number)
{
    (void)number;
    children++;
}

static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_barrier_wait(&start);
        counter++; /* race: COUNT */
    }
    return arg;
}

int main(void)
{
    struct sigaction action;
    pthread_t threads[2];
    memset(&action, 0, sizeof(action));
    action.sa_handler = child_ended;
    sigaction(SIGCHLD, &action, NULL);
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    usleep(50000); /* a report process would have ended by now */
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
        return 2;
    return children != 0;
}
