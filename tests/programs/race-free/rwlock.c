/*
 * claim: data behind a read-write lock is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 400 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct {
    long first, second;
} pair;

static void *writer(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_wrlock(&lock);
        pair.first++;
        pair.second--;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *reader(void *arg)
{
    long broken = 0;
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&lock);
        broken += pair.first + pair.second != 0;
        pthread_rwlock_unlock(&lock);
    }
    return (void *)broken;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? reader : writer, NULL);
    long broken = 0;
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        broken += (long)result;
    }
    return broken != 0 || pair.first != 2 * ROUNDS;
}
