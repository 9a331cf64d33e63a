/*
 * claim: poll waits for another thread to write, and times out when nobody does
 * build: -O1
 * ends: exit 0
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void *write_byte(void *arg)
{
    if (write(ends[1], "x", 1) != 1)
        return &ends;
    return arg;
}

int main(void)
{
    struct pollfd file = {.events = POLLIN};
    struct timespec short_time = {.tv_nsec = 1000000};
    pthread_t thread;
    void *result;
    char byte;
    if (pipe(ends) != 0)
        return 1;
    file.fd = ends[0];
    if (poll(&file, 1, 10) != 0 || ppoll(&file, 1, &short_time, NULL) != 0)
        return 2;
    pthread_create(&thread, NULL, write_byte, NULL);
    if (poll(&file, 1, -1) != 1 || !(file.revents & POLLIN))
        return 3;
    if (read(ends[0], &byte, 1) != 1 || byte != 'x')
        return 4;
    pthread_join(thread, &result);
    return result != NULL;
}
