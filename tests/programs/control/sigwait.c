/*
 * claim: a thread that waits for signals, which all others have blocked, gets each of them
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;
static int got[2];

static void *wait_for_signals(void *arg)
{
    for (int i = 0; i < 2; i++) {
        if (sigwait(&set, &got[i]) != 0)
            return &set;
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, wait_for_signals, NULL);
    kill(getpid(), SIGUSR1);
    pthread_kill(thread, SIGUSR2);
    pthread_join(thread, &result);
    return result != NULL || got[0] + got[1] != SIGUSR1 + SIGUSR2;
}
