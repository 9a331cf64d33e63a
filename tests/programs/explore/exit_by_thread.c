/*
 * claim: a thread ends the process by _exit before another one has kept its promise
 * build: -O1
 * bug: exit
 * within: 20
 * fixed: yes
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int kept;

static void *keep(void *arg)
{
    kept = 1;
    return arg;
}

static void *leave(void *arg)
{
#ifdef FIXED
    pthread_join(*(pthread_t *)arg, NULL);
#endif
    _exit(kept ? 0 : 3);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, keep, NULL);
    pthread_create(&second, NULL, leave, &first);
    pthread_join(second, NULL);
    return 1;
}
