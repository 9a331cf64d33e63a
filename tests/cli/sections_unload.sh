#!/bin/bash
# needs: compiler
# Shared objects with sections come and go.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >part.c <<'EOF2'
long total;

__attribute__((noinline)) void add(long n)
{
    long old = total;

    total = old + n;
}
EOF2
cat >main.c <<'EOF2'
#include <dlfcn.h>
#include <pthread.h>

static void (*add)(long);
static long own;

static void *run(void *none)
{
    for (int i = 0; add && i < 2000; i++)
        add(1);
    for (int i = 0; !add && i < 2000; i++)
        __atomic_fetch_add(&own, 1, __ATOMIC_RELAXED);
    return none;
}

static void both(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        void *part = dlopen("./part.so", RTLD_NOW);

        add = (void (*)(long))dlsym(part, "add");
        both();
        dlclose(part);
        add = 0;
        both(); /* the sampler goes on without it */
    }
    return own != 20 * 2 * 2000;
}
EOF2
darn cc -O1 -g -fPIC -shared part.c -o part.so
darn cc -O1 -g main.c -o main -pthread -ldl
darn sections infer -o part.sections ./part.so >/dev/null

claim "a shared object that was unloaded is not touched any more"
for i in 1 2 3 4 5; do
    try timeout 60 darn run --budget=max --exitcode=0 --sections=part.sections -- ./main
    expect_status 0
    DARN_OPTIONS=heal=part.sections try timeout 60 ./main
    expect_status 0
done

finish
