/*
 * claim: a write under a read lock is reported
 * build: -O1
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:hits:1000/1000 x 20
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on hits at HIT and HIT
 */
#include <pthread.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[16];
static long hits;

static int lookup(int key)
{
    pthread_rwlock_rdlock(&lock);
    int value = table[key % 16];
    hits++; /* race: HIT */
    pthread_rwlock_unlock(&lock);
    return value;
}

static void *work(void *arg)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        sum += lookup(i);
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
