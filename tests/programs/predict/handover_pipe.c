/*
 * claim: what is handed over by a pipe, a pair of sockets and an eventfd is never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ITEMS = 20 };

static int by_pipe[2], by_socket[2], by_event;
static long values[ITEMS], doubled[ITEMS], sum;

static void *source(void *arg)
{
    for (char i = 0; i < ITEMS; i++) {
        values[(int)i] = i;
        if (write(by_pipe[1], &i, 1) != 1)
            return by_pipe;
    }
    return arg;
}

static void *middle(void *arg)
{
    char i;
    for (int n = 0; n < ITEMS; n++) {
        if (read(by_pipe[0], &i, 1) != 1)
            return by_pipe;
        doubled[(int)i] = 2 * values[(int)i];
        if (send(by_socket[0], &i, 1, 0) != 1)
            return by_pipe;
    }
    return arg;
}

static void *sink(void *arg)
{
    char i;
    uint64_t one = 1;
    for (int n = 0; n < ITEMS; n++) {
        if (recv(by_socket[1], &i, 1, 0) != 1)
            return by_pipe;
        sum += doubled[(int)i];
    }
    return write(by_event, &one, sizeof one) == sizeof one ? arg : by_pipe;
}

int main(void)
{
    void *(*const work[3])(void *) = {source, middle, sink};
    pthread_t threads[3];
    uint64_t events = 0;
    if (pipe(by_pipe) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, by_socket) != 0 ||
        (by_event = eventfd(0, 0)) < 0)
        return 3;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    if (read(by_event, &events, sizeof events) != sizeof events)
        return 4;
    int wrong = sum != ITEMS * (ITEMS - 1); /* before any join */
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong |= result != NULL;
    }
    return wrong;
}
