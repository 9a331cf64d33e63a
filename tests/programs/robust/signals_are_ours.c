/*
 * claim: helpers of the runtime take no signal that the program's threads have blocked
 * build: -O1
 * run: --budget=max --noise=random:200/50 x 4
 * run: x 4
 * expect: none
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { SIGNALS = 50 };

static sigset_t signals;
static long received; /* handed back by the join */

static void *receive(void *arg)
{
    int number;
    for (int i = 0; i < SIGNALS; i++) {
        sigwait(&signals, &number);
        received += number == (i % 2 ? SIGUSR1 : SIGTERM);
        if (kill(getpid(), i % 2 ? SIGTERM : SIGUSR1) != 0)
            return NULL;
    }
    return arg;
}

/* Signals go to the process. Unblocked anywhere, they would end it. */
int main(void)
{
    pthread_t thread;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_create(&thread, NULL, receive, &signals);
    kill(getpid(), SIGTERM);
    pthread_join(thread, NULL);
    return received != SIGNALS;
}
