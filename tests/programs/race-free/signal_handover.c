/*
 * claim: a handler comes after sigaction and after kill or pthread_kill; sigaction gives back what the program has installed
 * tsan: no
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static long installed, sent, directed; /* plain: the signal orders them */
static atomic_int done, ready;
static volatile sig_atomic_t wrong;

static void on_install(int number)
{
    wrong |= installed != 1 || number != SIGUSR1;
    atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
}

static void on_kill(int number, siginfo_t *info, void *context)
{
    wrong |= sent != 2 || !info || info->si_signo != number || !context;
    atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
}

static void on_direct(int number)
{
    wrong |= directed != 3 || number != SIGHUP;
    atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
}

/* Takes the signals that are for the process; relaxed: nothing but the signals orders. */
static void *take(void *arg)
{
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    while (atomic_load_explicit(&done, memory_order_relaxed) < 3)
        usleep(100);
    return arg;
}

static int handlers_are_given_back(void)
{
    struct sigaction old;
    sigaction(SIGUSR1, NULL, &old);
    if (old.sa_handler != on_install || old.sa_flags & SA_SIGINFO || !(old.sa_flags & SA_RESTART))
        return 0;
    sigaction(SIGUSR2, NULL, &old);
    if (old.sa_sigaction != on_kill || !(old.sa_flags & SA_SIGINFO))
        return 0;
    if (signal(SIGHUP, SIG_IGN) != on_direct || signal(SIGHUP, on_direct) != SIG_IGN)
        return 0;
    return sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == on_direct;
}

static void wait_until(int count)
{
    while (atomic_load_explicit(&done, memory_order_relaxed) < count)
        usleep(100);
}

int main(void)
{
    struct sigaction action;
    pthread_t taker;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_create(&taker, NULL, take, NULL);
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        usleep(100);

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_install;
    action.sa_flags = SA_RESTART;
    installed = 1;
    sigaction(SIGUSR1, &action, NULL);
    kill(getpid(), SIGUSR1);
    wait_until(1);

    action.sa_sigaction = on_kill;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &action, NULL);
    sent = 2;
    kill(getpid(), SIGUSR2);
    wait_until(2);

    signal(SIGHUP, on_direct);
    directed = 3;
    pthread_kill(taker, SIGHUP);
    pthread_join(taker, NULL);
    return wrong || !handlers_are_given_back();
}
