/*
 * claim: a loop that waits by calls that nobody takes for a spin does not keep the others from going on
 * build: -O1
 * build: -O0
 * schedules: 50
 * ends: exit 0
 */
#include <pthread.h>
static volatile int flag;
static int is_set(const volatile int *at)
{
    return *at;
}
static int (*volatile look)(const volatile int *at) = is_set;
static void *wait_for_it(void *none)
{
    while (!look(&flag))
        ;
    return none;
}
static void *set_it(void *none)
{
    flag = 1;
    return none;
}
int main(void)
{
    pthread_t waiter, setter;
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    pthread_create(&setter, NULL, set_it, NULL);
    pthread_join(waiter, NULL);
    pthread_join(setter, NULL);
    return 0;
}
