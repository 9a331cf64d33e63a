/*
 * claim: a loop that looks at a variable again and again, but does not wait for it, is no spin
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * expect: data-race on level at SET and LOOK
 */
#include <pthread.h>
#include <unistd.h>

enum { LOOKS = 200 };

static int level;
static long samples[LOOKS];

static void *meter(void *arg)
{
    for (int i = 0; i < LOOKS; i++) {
        samples[i] = level; /* race: LOOK */
        usleep(10);
    }
    return arg;
}

static void *control(void *arg)
{
    for (int i = 1; i <= 5; i++) {
        usleep(1000);
        level = i; /* race: SET */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, meter, NULL);
    pthread_create(&threads[1], NULL, control, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return samples[LOOKS - 1] > 5;
}
