/*
 * claim: data ordered by eventfd with poll, and by a socket pair, is never reported
 * build: -O1
 * run: --budget=max --noise=random:100/30 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUNDS = 400 };

static int event, copy, sockets[2];
static struct {
    int request, reply;
} box;

static void *server(void *arg)
{
    struct pollfd waiting = {.fd = copy, .events = POLLIN};
    uint64_t count;
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        if (poll(&waiting, 1, -1) != 1 || read(copy, &count, sizeof(count)) != sizeof(count))
            return &box;
        box.reply = box.request * 2;
        box.request = -1;
        if (send(sockets[0], "r", 1, 0) != 1)
            return &box;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *broken;
    event = eventfd(0, 0);
    copy = dup(event);
    if (event < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        return 2;
    pthread_create(&thread, NULL, server, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t one = 1;
        char answer;
        box.request = i;
        if (write(event, &one, sizeof(one)) != sizeof(one) || recv(sockets[1], &answer, 1, 0) != 1)
            return 3;
        if (box.reply != 2 * i || box.request != -1)
            return 4;
    }
    pthread_join(thread, &broken);
    return broken != NULL;
}
