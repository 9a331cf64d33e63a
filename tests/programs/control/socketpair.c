/*
 * claim: messages over a socket pair, with a receiver that waits, in both directions
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ROUNDS = 3 };

static int ends[2];

static void *echo(void *arg)
{
    char text[16];
    for (int i = 0; i < ROUNDS; i++) {
        struct iovec part = {text, sizeof text};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        ssize_t length = recvmsg(ends[1], &message, 0);
        if (length <= 0 || send(ends[1], text, (size_t)length, 0) != length)
            return &ends;
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return 1;
    pthread_create(&thread, NULL, echo, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        char text[16] = "message";
        text[7] = (char)('0' + i);
        if (sendto(ends[0], text, 8, 0, NULL, 0) != 8)
            return 2;
        memset(text, 0, sizeof text);
        if (recv(ends[0], text, sizeof text, 0) != 8 || text[7] != '0' + i)
            return 3;
    }
    pthread_join(thread, &result);
    return result != NULL;
}
