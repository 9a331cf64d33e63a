/*
 * claim: main ends with pthread_exit; the program ends with its last thread, with status 0
 * build: -O1
 * stdout: done
 * ends: exit 0
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t main_thread;

static void *work(void *arg)
{
    void *result;
    if (pthread_join(main_thread, &result) != 0 || result != arg)
        exit(1);
    puts("done");
    return NULL;
}

int main(void)
{
    static int token;
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, NULL, work, &token);
    pthread_detach(thread);
    pthread_exit(&token);
}
