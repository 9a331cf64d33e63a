/*
 * claim: a worker touches its job after it has said that it is done: main may have freed it by then
 * build: -O1
 * bug: crash
 * within: 500
 * fixed: yes
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
    long input[4]; /* the allocator reuses the beginning of a freed block for itself */
    const char *volatile name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static struct job *job;
static bool done;
static size_t logged;

static void *work(void *arg)
{
    struct job *mine = job;
#ifdef FIXED
    logged = strlen(mine->name);
#endif
    pthread_mutex_lock(&lock);
    done = true;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
#ifndef FIXED
    logged = strlen(mine->name);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    job = calloc(1, sizeof *job);
    job->name = "job";
    pthread_create(&thread, NULL, work, NULL);
    usleep(30000); /* usually it has ended by then */
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    job->name = NULL;
    free(job);
    pthread_join(thread, NULL);
    return logged != 3;
}
