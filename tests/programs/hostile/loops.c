/*
 * claim: loops around epoll with eventfd, signalfd and timerfd, and timers that start threads
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: 60 events, 20 signals, 5 ticks
 * stdout: a timer has started 5 threads
 */
#include "hostile.h"
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>

enum { SENDERS = 3, EVENTS = 20, SIGNALS = 20, TICKS = 5 };

static int events, signals, timer, loop;
static long cells[SENDERS]; /* each is its sender's until the event of it was read */
static sem_t taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ticked;
static long ticks;

static void *send_events(void *arg)
{
    for (int i = 0; i < EVENTS; i++) {
        uint64_t one = 1;
        ++*(long *)arg;
        must(write(events, &one, sizeof(one)) == sizeof(one));
    }
    return arg;
}

/* Signals of one number do not queue up: the next one comes when this one was read. */
static void *send_signals(void *arg)
{
    for (int i = 0; i < SIGNALS; i++) {
        must(kill(getpid(), SIGUSR1) == 0);
        must(sem_wait(&taken) == 0);
    }
    return arg;
}

static void add(int file)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = file}};
    must(file >= 0 && epoll_ctl(loop, EPOLL_CTL_ADD, file, &event) == 0);
}

static void prepare(void)
{
    struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    must(pthread_sigmask(SIG_BLOCK, &mask, NULL) == 0);
    loop = epoll_create1(EPOLL_CLOEXEC);
    add(events = eventfd(0, EFD_NONBLOCK));
    add(signals = signalfd(-1, &mask, SFD_NONBLOCK));
    add(timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
    must(timerfd_settime(timer, 0, &often, NULL) == 0);
    must(sem_init(&taken, 0, 0) == 0);
}

static void handle(int file, long *seen)
{
    struct signalfd_siginfo info;
    uint64_t count;
    if (file == events && read(events, &count, sizeof(count)) == sizeof(count))
        seen[0] += (long)count;
    if (file == timer && read(timer, &count, sizeof(count)) == sizeof(count))
        seen[2] += (long)count;
    if (file == signals && read(signals, &info, sizeof(info)) == sizeof(info)) {
        must(info.ssi_signo == SIGUSR1);
        seen[1]++;
        must(sem_post(&taken) == 0);
    }
}

static void run_loop(void)
{
    pthread_t senders[SENDERS], signaller;
    long seen[3] = {0, 0, 0};
    prepare();
    for (int i = 0; i < SENDERS; i++)
        senders[i] = start(send_events, &cells[i]);
    signaller = start(send_signals, NULL);
    while (seen[0] < SENDERS * EVENTS || seen[1] < SIGNALS || seen[2] < TICKS) {
        struct epoll_event ready[4];
        int count = epoll_wait(loop, ready, 4, -1);
        must(count > 0);
        for (int i = 0; i < count; i++)
            handle(ready[i].data.fd, seen);
    }
    for (int i = 0; i < SENDERS; i++)
        must(*(long *)join(senders[i]) == EVENTS);
    join(signaller);
    must(seen[0] == SENDERS * EVENTS && seen[1] == SIGNALS);
}

static void tick(union sigval value)
{
    pthread_mutex_lock(&lock);
    ticks += value.sival_int;
    pthread_mutex_unlock(&lock);
    must(sem_post(&ticked) == 0);
}

static void run_timer(void)
{
    struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    struct sigevent event;
    timer_t starter;
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = tick;
    event.sigev_value.sival_int = 1;
    must(sem_init(&ticked, 0, 0) == 0);
    must(timer_create(CLOCK_MONOTONIC, &event, &starter) == 0);
    must(timer_settime(starter, 0, &often, NULL) == 0);
    for (int i = 0; i < TICKS; i++)
        must(sem_wait(&ticked) == 0);
    must(timer_delete(starter) == 0);
    pthread_mutex_lock(&lock);
    must(ticks >= TICKS);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    run_loop();
    say("60 events, 20 signals, 5 ticks");
    run_timer();
    say("a timer has started 5 threads");
    return 0;
}
