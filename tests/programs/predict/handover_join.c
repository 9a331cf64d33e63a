/*
 * claim: what is handed over by create and join, from thread to thread, is never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 */
#include <pthread.h>

enum { DEPTH = 6 };

static long values[DEPTH + 1];
static struct {
    int depth;
    long sum;
} state;

static void *descend(void *arg)
{
    long depth = (long)arg;
    pthread_t thread;
    values[depth] = depth;
    state.depth = depth;
    if (depth == DEPTH)
        return NULL;
    pthread_create(&thread, NULL, descend, (void *)(depth + 1));
    pthread_join(thread, NULL);
    state.sum += values[depth + 1];
    values[depth + 1] = 0;
    return NULL;
}

int main(void)
{
    descend(NULL);
    return state.depth != DEPTH || state.sum != 21;
}
