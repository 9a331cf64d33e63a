/*
 * claim: a sleep in the place of synchronization: whoever needs longer crashes the other one
 * build: -O1
 * bug: crash
 * within: 20
 * fixed: yes
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

struct service {
    int requests;
};

static struct service storage;
static struct service *volatile service;
static pthread_t starter;

static void *start(void *arg)
{
    service = &storage;
    return arg;
}

static void *use(void *arg)
{
#ifdef FIXED
    pthread_join(starter, NULL);
#else
    sleep(1); /* it must have started by then */
#endif
    service->requests++;
    return arg;
}

int main(void)
{
    pthread_t user;
    pthread_create(&starter, NULL, start, NULL);
    pthread_create(&user, NULL, use, NULL);
#ifndef FIXED
    pthread_join(starter, NULL);
#endif
    pthread_join(user, NULL);
    return storage.requests != 1;
}
