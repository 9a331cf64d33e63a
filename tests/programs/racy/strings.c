/*
 * claim: strcpy and strlen against a write into the string are reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on * at COPY and SCRIBBLE
 * expect: data-race on * at MEASURE and SCRIBBLE
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20 };

static pthread_barrier_t start;
static char text[32] = "to be or not to be";

static void *scribble(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        text[5] = (char)('a' + i % 26); /* race: SCRIBBLE */
    }
    return arg;
}

static void *use(void *arg)
{
    size_t sum = 0;
    char copy[32];
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        strcpy(copy, text);  /* race: COPY */
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
