/*
 * claim: plugins that are opened and closed over and over leave nothing behind
 * tsan: no
 * plugin: shared_counter.c
 * args: ./shared_counter.so
 * build: -O1
 * run: --budget=max --noise=random:500/50 x 3
 * run: x 3
 * expect: none
 */
#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *path;

/* Mapped anew each time: sites and tables of the last mapping are gone. */
static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        void *plugin = dlopen(path, RTLD_NOW);
        void (*count)(void) = (void (*)(void))dlsym(plugin, "library_count");
        for (int j = 0; j < 10; j++)
            count();
        long counted = *(long *)dlsym(plugin, "library_counter");
        dlclose(plugin);
        pthread_mutex_unlock(&lock);
        if (counted != 10)
            return NULL;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int failed = 0;
    path = argv[argc - 1];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &lock);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        failed += result == NULL;
    }
    return failed;
}
