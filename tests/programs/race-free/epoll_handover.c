/*
 * claim: what is handed over through an epoll instance, or by adding a descriptor to it, is never reported
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { ROUNDS = 100 };

struct job {
    int event;
    long request, reply;
};

static int poller;
static int done;

/* Jobs come as pointers inside the kernel: nothing but epoll_ctl and epoll_wait orders. */
static void *serve(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct epoll_event ready;
        uint64_t one = 1;
        if (epoll_wait(poller, &ready, 1, -1) != 1)
            return &poller;
        struct job *job = ready.data.ptr;
        job->reply = job->request * 2;
        if (epoll_ctl(poller, EPOLL_CTL_DEL, job->event, NULL) != 0 ||
            write(done, &one, sizeof(one)) != sizeof(one))
            return &poller;
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *broken;
    poller = epoll_create1(0);
    done = eventfd(0, 0);
    pthread_create(&thread, NULL, serve, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        struct job *job = malloc(sizeof(*job));
        struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = job};
        uint64_t count;
        job->event = eventfd(1, 0); /* ready from the start */
        job->request = i;
        if (epoll_ctl(poller, EPOLL_CTL_ADD, job->event, &wanted) != 0 ||
            read(done, &count, sizeof(count)) != sizeof(count) || job->reply != 2 * i)
            return 1;
        close(job->event);
        free(job);
    }
    pthread_join(thread, &broken);
    return broken != NULL;
}
