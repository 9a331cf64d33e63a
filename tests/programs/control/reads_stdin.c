/*
 * claim: standard input is the same in each run: the sum of its numbers is printed
 * build: -O1
 * stdin: 1 2 3 4 5
 * stdout: sum 15
 * ends: exit 0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool full, ended;
static int number, sum;

static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!full && !ended)
            pthread_cond_wait(&changed, &lock);
        if (!full)
            break;
        sum += number;
        full = false;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int read;
    pthread_create(&thread, NULL, add, NULL);
    while (scanf("%d", &read) == 1) {
        pthread_mutex_lock(&lock);
        while (full)
            pthread_cond_wait(&changed, &lock);
        number = read;
        full = true;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    ended = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("sum %d\n", sum);
    return 0;
}
