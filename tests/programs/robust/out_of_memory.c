/*
 * claim: a program that runs out of address space sees malloc fail, as without darn, and goes on
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:300/50 x 3
 * run: x 3
 * expect: none
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { STEP = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;
static void *volatile last; /* keeps the compiler from leaving the calls out */

static void *work(void *arg)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    struct rlimit limits = {1UL << 30, 1UL << 30};
    pthread_t threads[2];
    setrlimit(RLIMIT_AS, &limits);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    int failed = 0;
    for (int i = 0; i < 2000 && !failed; i++)
        failed = (last = malloc(STEP)) == NULL;
    for (int i = 0; i < 2000 && (last = malloc(4096)) != NULL; i++) /* the last crumbs, too */
        continue;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return !failed || counter != 400;
}
