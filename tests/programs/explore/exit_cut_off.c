/*
 * claim: a systematic search also leaves the runs that end while another thread could go on
 * build: -O1
 * options: --strategy=chess
 * bug: crash
 * within: 20
 */
#include <pthread.h>
#include <stdlib.h>

static int table;
static int *volatile current = &table;

static void take_away(void)
{
    current = NULL;
}

static void *work(void *arg)
{
    if (current)
        *current = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    atexit(take_away);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
