/*
 * claim: main closes the log before the last message is in it
 * build: -O1
 * fails: exit
 * first: USE
 * then: END
 * heals: yes
 */
#include <pthread.h>
#include <stdio.h>

#include "usually.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file;
static int lost;

static void message(const char *text)
{
    pthread_mutex_lock(&lock);
    if (log_file)
        fputs(text, log_file); /* order: USE */
    else
        lost++;
    pthread_mutex_unlock(&lock);
}

static void close_log(void)
{
    pthread_mutex_lock(&lock);
    fclose(log_file); /* order: END */
    log_file = NULL;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    slow(1);
    message("begins\n");
    message("ends\n");
    return unused;
}

int main(void)
{
    pthread_t worker;

    log_file = fopen("/dev/null", "w");
    pthread_create(&worker, NULL, work, NULL);
#ifdef FIXED
    pthread_join(worker, NULL);
    close_log();
#else
    usually_late(); /* it has ended by then */
    close_log();
    pthread_join(worker, NULL);
#endif
    return lost != 0;
}
