/*
 * claim: the sections of a module are healed when it is loaded, also a second time; and forgotten when it is gone
 * build: -O1
 * plugin: counted.c
 * alone: fails
 * certain: block lock
 * runs: 10
 * heals: count
 */
#include "crowd.h"

#include <dlfcn.h>

enum { THREADS = 3, TIMES = 2, ADDS = 200 };

static void (*add)(void);

static void *adds(void *arg)
{
    crowd_begin_apart((long)arg);
    for (int i = 0; i < ADDS; i++)
        add();
    return arg;
}

static int use_module(void)
{
    void *module = dlopen("./counted.so", RTLD_NOW);
    long (*get)(void);
    long wrong;
    if (module == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    *(void **)&add = dlsym(module, "counted_add");
    *(void **)&get = dlsym(module, "counted_get");
    crowd(THREADS, adds);
    wrong = get() != THREADS * ADDS;
    dlclose(module);
    return wrong != 0;
}

int main(void)
{
    int failed = 0;
    for (int i = 0; i < TIMES; i++)
        failed |= use_module();
    return failed;
}
