/*
 * claim: what is tested changes before it is read again, right behind the test
 * build: -O0
 * bug: crash
 * within: 100
 * fixed: yes
 */
#include <pthread.h>
#include <stddef.h>

static int table;
static int *current = &table;

static void *use(void *arg)
{
#ifdef FIXED
    int *mine = current;
    if (mine)
        *mine = 1;
#else
    if (current)
        *current = 1;
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    current = NULL;
    pthread_join(thread, NULL);
    return 0;
}
