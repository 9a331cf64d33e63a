/*
 * claim: double-checked initialization that publishes the object before it has filled it in
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct settings {
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings storage;
static struct settings *_Atomic settings;

static struct settings *get(void)
{
    if (atomic_load(&settings) == NULL) {
        pthread_mutex_lock(&lock);
        if (atomic_load(&settings) == NULL) {
#ifdef FIXED
            storage.size = 42;
            atomic_store(&settings, &storage);
#else
            atomic_store(&settings, &storage);
            storage.size = 42;
#endif
        }
        pthread_mutex_unlock(&lock);
    }
    return atomic_load(&settings);
}

static void *use(void *arg)
{
    assert(get()->size == 42);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
