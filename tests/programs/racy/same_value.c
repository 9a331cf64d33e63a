/*
 * claim: two writes of the same value are reported, and marked as such
 * build: -O0
 * build: -O1
 * run: --report=observed --halt-on-error --report-unknown-origin=0 --noise=var:found:1000/1000 x 20
 * expect: data-race on found at SET and SET [write write] with same_value=true
 */
#include <pthread.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static int found;

static void *search(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        found = 1; /* race: SET */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, search, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return found != 1;
}
