/*
 * claim: double-checked initialization with an atomic pointer is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:300/50 x 15
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int size;
    char name[16];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct config *) instance;
static int made;

static struct config *get(void)
{
    struct config *config = atomic_load_explicit(&instance, memory_order_acquire);
    if (config != NULL)
        return config;
    pthread_mutex_lock(&lock);
    config = atomic_load_explicit(&instance, memory_order_relaxed);
    if (config == NULL) {
        config = calloc(1, sizeof(*config));
        config->size = 42;
        config->name[0] = 'x';
        made++;
        atomic_store_explicit(&instance, config, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return config;
}

static void *work(void *arg)
{
    long sum = 0;
    (void)arg;
    for (int i = 0; i < 50; i++)
        sum += get()->size + get()->name[0] - 'x';
    return (void *)sum;
}

int main(void)
{
    pthread_t threads[4];
    long sum = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    free(atomic_load(&instance));
    return sum != 4 * 50 * 42 || made != 1;
}
