/*
 * claim: main closes a pipe before its writer has written everything
 * build: -O1
 * fails: exit
 * kind: data-race
 * heals: yes
 */
#include <pthread.h>
#include <unistd.h>

#include "usually.h"

static int ends[2], failed;

static void *send_all(void *unused)
{
    slow(1);
    for (int i = 0; i < 3; i++)
        if (write(ends[1], "x", 1) != 1) /* order: USE */
            failed = 1;
    return unused;
}

int main(void)
{
    pthread_t worker;

    if (pipe(ends) != 0)
        return 2;
    pthread_create(&worker, NULL, send_all, NULL);
#ifdef FIXED
    pthread_join(worker, NULL);
    close(ends[1]);
#else
    usually_late(); /* it has ended by then */
    close(ends[1]); /* order: END */
    pthread_join(worker, NULL);
#endif
    return failed;
}
