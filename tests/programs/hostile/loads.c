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

/* A module of one's own: the same place in memory has now this one, now another. */
static void copy(const char *from, const char *to)
{
    char text[4096];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    size_t size;
    must(in != NULL && out != NULL);
    while ((size = fread(text, 1, sizeof(text), in)) > 0)
        must(fwrite(text, 1, size, out) == size);
    must(fclose(in) == 0 && fclose(out) == 0);
}

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
    char darns[32], foreign[40];
    long own = 0;
    snprintf(darns, sizeof(darns), "./loaded-%ld.so", (long)arg);
    copy("./loaded.so", darns);
    snprintf(foreign, sizeof(foreign), "./loaded_foreign-%ld.so", (long)arg);
    copy("./loaded_foreign.so", foreign);
    for (int i = 0; i < ROUNDS; i++) {
        use(darns, &own);
        use(foreign, &own);
    }
    must(own == 20 * ROUNDS);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        threads[i] = start(work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        join(threads[i]);
    say("3 x 30 modules came and went");
    return 0;
}
