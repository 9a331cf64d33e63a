/*
 * claim: a pointer that is waited for publishes what it points to
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: WAIT from PUBLISH
 * spin: ANSWER from REPLY
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include "order.h"

enum { CLIENTS = 3, ROUNDS = 12 };

struct message {
    long question, answer;
    int words[6];
};

/* Each client has a slot of its own: a message on its way, or nothing. */
static struct message *VAR questions[CLIENTS], *VAR answers[CLIENTS];
static long right[CLIENTS];

static void *client(void *arg)
{
    long self = (long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct message *message = malloc(sizeof *message);
        message->question = i;
        for (int k = 0; k < 6; k++)
            message->words[k] = self;
        usleep(100);
        ORDER();
        questions[self] = message;                  /* spin: PUBLISH */
        while ((message = answers[self]) == NULL) { /* spin: ANSWER */
            sched_yield();
            ORDER();
        }
        ORDER();
        answers[self] = NULL;
        right[self] += message->answer == i + 6 * self;
        free(message);
    }
    return NULL;
}

static void *server(void *arg)
{
    for (int i = 0; i < ROUNDS * CLIENTS; i++) {
        struct message *message;
        while ((message = questions[i % CLIENTS]) == NULL) { /* spin: WAIT */
            sched_yield();
            ORDER();
        }
        ORDER();
        questions[i % CLIENTS] = NULL;
        message->answer = message->question;
        for (int k = 0; k < 6; k++)
            message->answer += message->words[k];
        usleep(50);
        ORDER();
        answers[i % CLIENTS] = message; /* spin: REPLY */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[CLIENTS + 1];
    pthread_create(&threads[CLIENTS], NULL, server, NULL);
    for (long i = 0; i < CLIENTS; i++)
        pthread_create(&threads[i], NULL, client, (void *)i);
    for (int i = 0; i <= CLIENTS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CLIENTS; i++)
        if (right[i] != ROUNDS)
            return 1;
    return 0;
}
