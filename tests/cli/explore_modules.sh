#!/bin/bash
# needs: compiler
# darn explore: a module that the program loads while it runs, and a program that is built with a sanitizer, too.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >host.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static void *(*work)(void *unused);
static int (*result)(void);

static void *call(void *unused)
{
    return work(unused);
}

int main(void)
{
    pthread_t threads[2];
    void *module = dlopen("./module.so", RTLD_NOW);

    if (!module)
        return 9;
    *(void **)&work = dlsym(module, "work");
    *(void **)&result = dlsym(module, "result");
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, call, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return result() == 2 ? 0 : 3;
}
END
cat >module.c <<'END'
#include <pthread.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *work(void *unused)
{
    int seen;
    LOCK(&lock);
    seen = count;
    count = seen + 1;
    UNLOCK(&lock);
    return unused;
}

int result(void)
{
    (void)lock;
    return count;
}
END
darn cc -g -O1 -pthread host.c -o host -ldl &&
    darn cc -g -O1 -pthread -fPIC -shared '-DLOCK(lock)=(void)0' '-DUNLOCK(lock)=(void)0' module.c -o bad.so &&
    darn cc -g -O1 -pthread -fPIC -shared -DLOCK=pthread_mutex_lock -DUNLOCK=pthread_mutex_unlock module.c -o good.so ||
    exit 1

claim "accesses of a module that is loaded by the run are scheduling points: the lost update is found"
cp bad.so module.so
try darn explore --jobs=1 --schedules=500 -o out -- ./host
expect_status 66
expect_has "$err" "exited with status 3"
expect_has "$err" "[failure, confirmed]"
expect_has "$err" "module.c:"

claim "its schedule is followed by a process that does not know the module yet"
try darn replay --times=3 out/1
expect_status 66
expect_has "$out$err" "3 of 3"

claim "and shrunk"
try darn shrink out/1
expect_status 0
try darn replay --times=3 out/1
expect_has "$out$err" "3 of 3"

claim "without the module nothing is followed, and that is said"
mv module.so away.so
try darn replay out/1
expect_lacks "$out$err" "1 of 1"
[ "$status" -ne 66 ] || fault "it shows the bug without its module"

claim "a module that is right is never reported"
cp good.so module.so
try darn explore --jobs=1 --schedules=500 -- ./host
expect_status 0
expect_has "$err" "nothing found in 500 schedules"

cat >freed.c <<'END'
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    if (shared)
        *shared = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *drop(void *unused)
{
    pthread_mutex_lock(&lock);
    free(shared);
#ifdef FIXED
    shared = NULL;
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    shared = calloc(1, sizeof *shared);
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, drop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
darn cc -g -O1 -pthread -fsanitize=address freed.c -o freed &&
    darn cc -g -O1 -pthread -fsanitize=address -DFIXED freed.c -o fixed || exit 1

claim "what AddressSanitizer reports is an outcome of its own, and replays"
try darn explore --jobs=1 --schedules=200 --json -o asan -- ./freed
expect_status 66
expect_has "$out" '"outcomes":["sanitizer"]'
expect_has "$out" '"certainty":"confirmed"'
expect_has "$err" "heap-use-after-free"
expect_has "$(cat asan/1/log)" "AddressSanitizer"
try darn replay --times=3 asan/1
expect_status 66
expect_has "$out$err" "3 of 3"

claim "a program with AddressSanitizer that is right is never reported"
try darn explore --jobs=1 --schedules=200 -- ./fixed
expect_status 0

finish
