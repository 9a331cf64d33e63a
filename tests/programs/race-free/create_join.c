/*
 * claim: data ordered only by pthread_create and pthread_join is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:300/50 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdlib.h>

struct task {
    int depth;
    long sum;
    int values[8];
};

/* Every task is filled by its parent, worked on by its own thread, and read by its parent again. */
static void *work(void *arg)
{
    struct task *task = arg, left, right;
    pthread_t threads[2];
    for (int i = 0; i < 8; i++)
        task->sum += task->values[i]++;
    if (task->depth == 0)
        return task;
    left = *task;
    right = *task;
    left.depth = right.depth = task->depth - 1;
    left.sum = right.sum = 0;
    pthread_create(&threads[0], NULL, work, &left);
    pthread_create(&threads[1], NULL, work, &right);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    task->sum += left.sum + right.sum;
    return task;
}

int main(void)
{
    struct task *root = calloc(1, sizeof(*root));
    pthread_t thread;
    void *result;
    root->depth = 4;
    pthread_create(&thread, NULL, work, root);
    pthread_join(thread, &result);
    /* 8 values, 2^d tasks at distance d from the root, each value being d there. */
    long sum = ((struct task *)result)->sum;
    free(root);
    return sum != 8 * (0 + 2 * 1 + 4 * 2 + 8 * 3 + 16 * 4);
}
