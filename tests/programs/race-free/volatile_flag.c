/*
 * claim: a flag that is a volatile variable may be reported, the data that it orders never
 * tsan: racy
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:100/50 x 8
 * run: --budget=max --noise=var:ready:500/200 x 8
 * run: x 4
 * predict: hb
 * expect: none
 * allow: data-race on ready
 * never: payload
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { ROUNDS = 60 };

struct message {
    int number;
    char text[8];
};

static volatile int ready;
static struct message *payload;

/* A compiler barrier suffices on x86, where stores and loads each stay in order. */
#if defined(__x86_64__) || defined(__i386__)
#define ORDER() __asm__ volatile("" ::: "memory")
#else
#define ORDER() __sync_synchronize()
#endif

static void *sender(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (ready)
            sched_yield();
        ORDER();
        payload = malloc(sizeof(*payload));
        payload->number = i;
        payload->text[0] = 'x';
        ORDER();
        ready = 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int wrong = 0;
    pthread_create(&thread, NULL, sender, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        while (!ready)
            sched_yield();
        ORDER();
        wrong += payload->number != i || payload->text[0] != 'x';
        payload->number = -1;
        free(payload);
        ORDER();
        ready = 0;
    }
    pthread_join(thread, NULL);
    return wrong != 0;
}
