/*
 * claim: strcpy and strlen against a write into the string are reported
 * build: -O0
 * build: -O2
 * run: --noise=site:@FIRST:1000/2000 --noise=site:@SECOND:1000/2000 x 20
 * expect: data-race on * at COPY and FIRST
 * expect: data-race on * at MEASURE and SECOND
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 10 };

static pthread_barrier_t start;
static char text[32] = "to be or not to be";

static void *scribble(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        text[5] = (char)('a' + i % 26); /* race: FIRST */
        pthread_barrier_wait(&start);
        text[5] = (char)('a' + i % 26); /* race: SECOND */
    }
    return arg;
}

/* Once the other thread stands before its access. */
static void meet(void)
{
    pthread_barrier_wait(&start);
    usleep(300);
}

static void *use(void *arg)
{
    size_t sum = 0;
    char copy[32];
    for (int i = 0; i < ROUNDS; i++) {
        meet();
        strcpy(copy, text); /* race: COPY */
        meet();
        sum += strlen(text); /* race: MEASURE */
        sum += (size_t)copy[0];
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, scribble, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
