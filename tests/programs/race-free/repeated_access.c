/*
 * claim: repeated accesses to one address with synchronization in between are never reported
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O3
 * run: --budget=max --noise=random:50/30 x 6
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 200 };

struct account {
    pthread_mutex_t lock;
    long balance, deposits;
};

static struct account account = {.lock = PTHREAD_MUTEX_INITIALIZER};
static atomic_int busy;
static long guarded_by_busy;

/* Not inlined: an analysis must not take the call for harmless. */
static __attribute__((noinline)) void pause_section(void)
{
    pthread_mutex_unlock(&account.lock);
    pthread_mutex_lock(&account.lock);
}

static void *work(void *arg)
{
    struct account *mine = arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mine->lock);
        mine->balance += 1;
        mine->balance += 2; /* the same address, nothing in between */
        pause_section();
        mine->balance += 3; /* the same address, but others were let in */
        mine->deposits++;
        pthread_mutex_unlock(&mine->lock);

        int expected = 0;
        if (atomic_compare_exchange_strong(&busy, &expected, 1)) {
            guarded_by_busy++;
            guarded_by_busy--;
            atomic_store(&busy, 0);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &account);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return account.balance != 18 * ROUNDS || account.deposits != 3 * ROUNDS || guarded_by_busy != 0;
}
