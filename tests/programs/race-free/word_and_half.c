/*
 * claim: an atomic operation on a word synchronizes with those on its halves, whoever comes first
 * tsan: no
 * build: -O2 -DWIDE_FIRST
 * build: -O2 -DHALF=0
 * build: -O2 -DHALF=1
 * run: x 10
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdint.h>
#include "../unseen.h"

#if defined WIDE_FIRST
#define GIVE() __atomic_store_n(&word.whole, UINT64_C(1) << 32, __ATOMIC_RELEASE)
#define GET()  __atomic_load_n(&word.half[1], __ATOMIC_ACQUIRE)
#else
#define GIVE() __atomic_store_n(&word.half[HALF], 1, __ATOMIC_RELEASE)
#define GET()  __atomic_load_n(&word.whole, __ATOMIC_ACQUIRE)
#endif

static union {
    uint64_t whole;
    uint32_t half[2];
} word;
static int data;

static void *work(void *arg)
{
    data = 1;
    GIVE();
    unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t thread;
    int sum = 0;

    pthread_create(&thread, NULL, work, NULL);
    unseen_wait();
    if (GET())
        sum = data;
    pthread_join(thread, NULL);
    return sum != 1;
}
