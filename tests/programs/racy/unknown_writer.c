/*
 * claim: a write of unseen code is noticed by its value, and reported as of unknown origin
 * tsan: no
 * plain: plain_writer.c
 * build: -O0
 * build: -O2
 * run: --halt-on-error --noise=var:mailbox:1000/500 x 20
 * run: --halt-on-error --budget=max --noise=random:1000/500 x 20
 * expect: data-race on mailbox at LOOK and unknown with origin=unknown
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ROUNDS = 1500 };

void plain_set(long *where, long value);

static long mailbox;
static atomic_int done;

static void *unseen(void *arg)
{
    for (long i = 1; !atomic_load(&done); i++)
        plain_set(&mailbox, i);
    return arg;
}

int main(void)
{
    pthread_t thread;
    long sum = 0;
    pthread_create(&thread, NULL, unseen, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        sum += mailbox; /* race: LOOK */
        usleep(100);    /* long enough for the other to begin: else there is no race */
    }
    atomic_store(&done, 1);
    pthread_join(thread, NULL);
    return sum < 0;
}
