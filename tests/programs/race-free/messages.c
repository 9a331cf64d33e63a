/*
 * claim: stdio over pipes, sendmmsg, System V and POSIX messages and semaphores, signalfd and flockfile order
 * tsan: no
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#define _GNU_SOURCE
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WAYS = 8, LOCKED = 100 };

static long box[WAYS][8]; /* a cache line each: plain, ordered by the messages alone */
static FILE *writer, *reader;
static int fds[2], sockets[2], messages, semaphores, signals;
static mqd_t queue;
static long under_flock;

static void send_by_stdio(void)
{
    fputs("line\n", writer);
    fflush(writer);
}

static void receive_by_stdio(void)
{
    char line[16];
    if (!fgets(line, sizeof(line), reader))
        abort();
}

static void send_by_dprintf(void)
{
    dprintf(fds[1], "%c", 'x');
}

static void receive_by_readv(void)
{
    char byte;
    struct iovec part = {&byte, 1};
    if (readv(fds[0], &part, 1) != 1)
        abort();
}

static void send_by_mmsg(void)
{
    char byte = 'x';
    struct iovec part = {&byte, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    if (sendmmsg(sockets[0], &message, 1, 0) != 1)
        abort();
}

static void receive_by_mmsg(void)
{
    char byte;
    struct iovec part = {&byte, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    if (recvmmsg(sockets[1], &message, 1, 0, NULL) != 1)
        abort();
}

static void send_by_msg(void)
{
    struct {
        long type;
        char text[1];
    } message = {1, {'x'}};
    if (msgsnd(messages, &message, 1, 0) != 0)
        abort();
}

static void receive_by_msg(void)
{
    struct {
        long type;
        char text[1];
    } message;
    if (msgrcv(messages, &message, 1, 0, 0) != 1)
        abort();
}

static void send_by_semop(void)
{
    struct sembuf operation = {0, 1, 0};
    if (semop(semaphores, &operation, 1) != 0)
        abort();
}

static void receive_by_semop(void)
{
    struct sembuf operation = {0, -1, 0};
    if (semop(semaphores, &operation, 1) != 0)
        abort();
}

static void send_by_mq(void)
{
    if (mq_send(queue, "x", 1, 0) != 0)
        abort();
}

static void receive_by_mq(void)
{
    char text[64];
    if (mq_receive(queue, text, sizeof(text), NULL) < 0)
        abort();
}

static void send_by_signal(void)
{
    kill(getpid(), SIGUSR1);
}

static void receive_by_signalfd(void)
{
    struct signalfd_siginfo info;
    if (read(signals, &info, sizeof(info)) != sizeof(info))
        abort();
}

static void open_all(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 64};
    char name[64];
    int pipe_fds[2];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, 0);
    messages = msgget(IPC_PRIVATE, 0600);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    snprintf(name, sizeof(name), "/darn-test-%d", getpid());
    queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
    mq_unlink(name);
    if (pipe(fds) != 0 || pipe(pipe_fds) != 0 ||
        socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) != 0)
        abort();
    writer = fdopen(pipe_fds[1], "w");
    reader = fdopen(pipe_fds[0], "r");
}

static const struct {
    void (*send)(void), (*receive)(void);
} ways[WAYS] = {
    {send_by_stdio, receive_by_stdio}, {send_by_dprintf, receive_by_readv},
    {send_by_mmsg, receive_by_mmsg},   {send_by_msg, receive_by_msg},
    {send_by_semop, receive_by_semop}, {send_by_mq, receive_by_mq},
    {send_by_signal, receive_by_signalfd},
};

static void add_under_flock(void)
{
    for (int i = 0; i < LOCKED; i++) {
        flockfile(stdin);
        under_flock++;
        funlockfile(stdin);
    }
}

static void *receive_all(void *arg)
{
    for (int i = 0; i < WAYS && ways[i].receive; i++) {
        ways[i].receive();
        if (box[i][0] != i + 1)
            return &box;
    }
    add_under_flock();
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *broken;
    open_all();
    pthread_create(&thread, NULL, receive_all, NULL);
    for (int i = 0; i < WAYS && ways[i].send; i++) {
        box[i][0] = i + 1;
        ways[i].send();
    }
    add_under_flock();
    pthread_join(thread, &broken);
    msgctl(messages, IPC_RMID, NULL);
    semctl(semaphores, 0, IPC_RMID);
    return broken || under_flock != 2 * LOCKED;
}
