/*
 * claim: a flag that says "initialized" before it is true: the second thread uses a null pointer
 * build: -O1
 * bug: crash
 * within: 20
 * fixed: yes
 */
#include <pthread.h>
#include <stddef.h>

static int storage[4] = {1, 2, 3, 4};
static int *volatile table;

#ifdef FIXED

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialize(void)
{
    table = storage;
}

static void prepare(void)
{
    pthread_once(&once, initialize);
}

#else

static volatile int initialized;

static void prepare(void)
{
    if (!initialized) {
        initialized = 1;
        table = storage;
    }
}

#endif

static void *use(void *arg)
{
    prepare();
    return table[3] == 4 ? NULL : arg;
}

int main(void)
{
    pthread_t threads[2];
    int errors = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, &errors);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        errors += result != NULL;
    }
    return errors;
}
