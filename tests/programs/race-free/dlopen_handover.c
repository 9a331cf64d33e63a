/*
 * claim: what the constructor of a plugin has done is never reported against whoever opens it later, nor against its destructor
 * tsan: no
 * plugin: handed_over.c
 * args: ./handed_over.so
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

enum { ROUNDS = 20, THREADS = 3 };

static const char *path;

/* Whoever is first loads it, whoever is last unloads it; the loader's lock orders them. */
static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        void *plugin = dlopen(path, RTLD_NOW);
        int (*get)(int) = plugin ? (int (*)(int))dlsym(plugin, "handed_over") : NULL;
        if (!get || get(7) != 14)
            return &path;
        dlclose(plugin);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int broken = 0;
    path = argv[argc - 1];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        broken |= result != NULL;
    }
    return broken;
}
