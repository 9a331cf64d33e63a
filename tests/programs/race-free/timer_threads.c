/*
 * claim: what a thread that libc has made for a timer does is ordered by what made it, and by what it tells
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 3
 * run: x 3
 * predict: hb,syncp
 * expect: none
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
/* A timer's own thread, and a timerfd that another thread reads. */
struct ctx { int ticks; int budget; pthread_mutex_t m; pthread_cond_t c; int fired; };
static void on_timer(union sigval v)
{
	struct ctx *x = v.sival_ptr;
	x->ticks = x->budget * 2;
	pthread_mutex_lock(&x->m);
	x->fired = 1;
	pthread_cond_signal(&x->c);
	pthread_mutex_unlock(&x->m);
}
static int tfd, payload;
static void *ticker(void *a)
{
	uint64_t n;
	(void)a;
	if (read(tfd, &n, sizeof n) != sizeof n)
		abort();
	payload += (int)(n > 0);
	return NULL;
}
int main(void)
{
	struct ctx *x = calloc(1, sizeof *x);
	pthread_mutex_init(&x->m, NULL);
	pthread_cond_init(&x->c, NULL);
	x->budget = 21;
	struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
	ev.sigev_value.sival_ptr = x;
	timer_t id;
	timer_create(CLOCK_MONOTONIC, &ev, &id);
	struct itimerspec its = {.it_value = {0, 2000000}};
	timer_settime(id, 0, &its, NULL);
	pthread_mutex_lock(&x->m);
	while (!x->fired)
		pthread_cond_wait(&x->c, &x->m);
	pthread_mutex_unlock(&x->m);
	assert(x->ticks == 42);
	timer_delete(id);
	tfd = timerfd_create(CLOCK_MONOTONIC, 0);
	pthread_t t;
	pthread_create(&t, NULL, ticker, NULL);
	payload = 5;
	timerfd_settime(tfd, 0, &its, NULL);
	pthread_join(t, NULL);
	assert(payload == 6);
	close(tfd);
	pthread_mutex_lock(&x->m);
	pthread_mutex_unlock(&x->m);
	puts("ok");
}
