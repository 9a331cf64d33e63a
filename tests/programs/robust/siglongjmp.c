/*
 * claim: siglongjmp out of a handler, in the middle of a window, leaves no window behind
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:1000/500 x 6
 * run: x 4
 * modes: record hunt explore heal only
 * expect: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { JUMPS = 30, CELLS = 8 };

static sigjmp_buf back;
static volatile long cells[CELLS];
static sem_t yours, mine;
static volatile sig_atomic_t jumps;

static void jump(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

/* The cells change hands by semaphores. A window that was jumped out of would be a race here. */
static void *partner(void *arg)
{
    sigset_t none;
    (void)arg;
    sigfillset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    for (int i = 0; i < JUMPS; i++) {
        sem_wait(&yours);
        for (int j = 0; j < CELLS; j++)
            cells[j] = -1;
        sem_post(&mine);
    }
    return NULL;
}

int main(void)
{
    struct itimerval soon = {{0, 0}, {0, 300}};
    struct sigaction action;
    pthread_t thread;
    sigset_t alarm;
    memset(&action, 0, sizeof(action));
    action.sa_handler = jump;
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* the thread starts with it blocked */
    sem_init(&mine, 0, 0);
    sem_init(&yours, 0, 0);
    pthread_create(&thread, NULL, partner, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    for (jumps = 0; jumps < JUMPS; jumps++) {
        if (sigsetjmp(back, 1) == 0) {
            setitimer(ITIMER_REAL, &soon, NULL);
            for (long i = 0;; i++)
                cells[i % CELLS] = i;
        }
        sem_post(&yours);
        sem_wait(&mine);
    }
    pthread_join(thread, NULL);
    return cells[0] != -1;
}
