/*
 * claim: assertions of darn.h that hold are never reported
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:300/100 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <darn.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int published;
static long guarded;

static void *writer(void *arg)
{
    for (int i = 1; i <= ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        DARN_ASSERT_EXCLUSIVE_ACCESS(guarded);
        guarded++;
        DARN_ASSERT_EXCLUSIVE_ACCESS(guarded); /* also against our own accesses */
        pthread_mutex_unlock(&lock);
        DARN_ASSERT_EXCLUSIVE_WRITER(published);
        atomic_store(&published, i);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    long sum = 0;
    pthread_create(&thread, NULL, writer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        DARN_ASSERT_EXCLUSIVE_ACCESS(guarded);
        sum += guarded;
        pthread_mutex_unlock(&lock);
        sum += atomic_load(&published);
    }
    pthread_join(thread, NULL);
    return sum < 0 || guarded != ROUNDS;
}
