/*
 * claim: three threads load and unload a module that darn has compiled, and one that it has not
 * build: -O1
 * plugin: loaded.c
 * foreign: loaded.c
 * modes: run max record hunt explore heal only
 * stdout: 3 x 30 modules came and went
 */
#include "hostile.h"
#include <dlfcn.h>

enum { THREADS = 3, ROUNDS = 15 };

static void use(const char *path, long *sum)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    must(module != NULL);
    long (*add)(long *, long) = (long (*)(long *, long))dlsym(module, "loaded_add");
    must(add != NULL);
    for (int i = 0; i < 10; i++)
        must(add(sum, 1) == 1);
    must(dlclose(module) == 0);
}

static void *work(void *arg)
{
    long own = 0;
    for (int i = 0; i < ROUNDS; i++) {
        use("./loaded.so", &own);
        use("./loaded_foreign.so", &own);
    }
    must(own == 20 * ROUNDS);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        threads[i] = start(work, NULL);
    for (int i = 0; i < THREADS; i++)
        join(threads[i]);
    say("3 x 30 modules came and went");
    return 0;
}
