/*
 * claim: select waits for another thread to write, and times out when nobody does
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <sys/select.h>
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
    struct timeval short_time = {.tv_usec = 1000};
    pthread_t thread;
    void *result;
    fd_set files;
    char byte;
    if (pipe(ends) != 0)
        return 1;
    FD_ZERO(&files);
    FD_SET(ends[0], &files);
    if (select(ends[0] + 1, &files, NULL, NULL, &short_time) != 0)
        return 2;
    pthread_create(&thread, NULL, write_byte, NULL);
    FD_SET(ends[0], &files);
    if (select(ends[0] + 1, &files, NULL, NULL, NULL) != 1 || !FD_ISSET(ends[0], &files))
        return 3;
    if (pselect(ends[0] + 1, &files, NULL, NULL, NULL, NULL) != 1)
        return 4;
    if (read(ends[0], &byte, 1) != 1 || byte != 'x')
        return 5;
    pthread_join(thread, &result);
    return result != NULL;
}
