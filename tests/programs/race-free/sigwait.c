/*
 * claim: data handed over with pthread_kill and sigwait is never reported
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:100/30 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <signal.h>

enum { ROUNDS = 400 };

static sigset_t signals;
static pthread_t first;
static long data;

static void *partner(void *arg)
{
    int number;
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        sigwait(&signals, &number);
        data += 2;
        pthread_kill(first, SIGUSR1);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int number;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    first = pthread_self();
    pthread_create(&thread, NULL, partner, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        data++;
        pthread_kill(thread, SIGUSR1);
        sigwait(&signals, &number);
    }
    pthread_join(thread, NULL);
    return data != 3 * ROUNDS;
}
