/*
 * claim: a wait that takes its mutex again under another lock, and who wants that, are reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: deadlock at WAIT and WANTS_B
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, ready;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    waiting = 1;
    pthread_cond_signal(&changed);
    while (!ready)
        pthread_cond_wait(&changed, &a); /* lock: WAIT */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&a);
    pthread_create(&thread, NULL, waiter, NULL);
    while (!waiting)
        pthread_cond_wait(&changed, &a);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_lock(&b); /* lock: WANTS_B */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, NULL);
    return 0;
}
