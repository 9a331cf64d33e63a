#!/bin/bash
# needs: compiler
# Gates against deadlocks never make a program hang, and work with all kinds of locks.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# meet: the deadlock. The other modes come to the same places in other ways.
cat >ways.c <<'EOF'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static _Atomic int has_a, has_b, has_m, over;
static const char *mode;
static sigjmp_buf out;
static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}
static void wait_for(_Atomic int *flag, int times)
{
    for (int i = 0; i < times && !*flag; i++)
        usleep(500);
}
__attribute__((noinline)) void *forth(void *arg)
{
    pthread_mutex_lock(&a);
    has_a = 1;
    if (is("meet")) {
        wait_for(&has_b, 40);
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
    } else if (is("vain")) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    } else if (is("cond")) {
        while (!over)
            pthread_cond_wait(&cond, &a);
    } else if (is("end")) {
        return arg;
    } else {
        wait_for(&over, 100000);
    }
    pthread_mutex_unlock(&a);
    return arg;
}
__attribute__((noinline)) void back(void)
{
    pthread_mutex_lock(&b);
    has_b = 1;
    if (is("meet")) {
        wait_for(&has_a, 40);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
    }
    pthread_mutex_unlock(&b);
}
static void jump(int signal)
{
    siglongjmp(out, signal);
}
static void leave(int signal)
{
    (void)signal;
    pthread_exit(NULL);
}
static void *go_back(void *arg)
{
    if (is("jump") && sigsetjmp(out, 1))
        return arg;
    if (is("vain"))
        pthread_mutex_lock(&m);
    has_m = 1;
    if (is("vain"))
        wait_for(&has_a, 100000);
    back();
    if (is("vain"))
        pthread_mutex_unlock(&m);
    return arg;
}
/* With a signal, the thread stands at the gate when that comes, and does not go on. */
static void run_back(int number)
{
    pthread_t thread;
    pthread_create(&thread, NULL, go_back, NULL);
    if (is("vain")) {
        wait_for(&has_m, 100000);
        return;
    }
    if (number) {
        wait_for(&has_m, 100000);
        usleep(200000);
        pthread_kill(thread, number);
    }
    pthread_join(thread, NULL);
}
int main(int argc, char **argv)
{
    pthread_t thread;
    int status = 0;
    mode = argc > 1 ? argv[1] : "meet";
    signal(SIGUSR1, leave);
    signal(SIGALRM, jump);
    if (is("vain"))
        run_back(0);
    pthread_create(&thread, NULL, forth, NULL);
    if (!is("meet"))
        wait_for(&has_a, 100000);
    if (is("cond")) { /* until it waits */
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
    }
    if (is("end"))
        pthread_join(thread, NULL);
    if (is("fork")) {
        pid_t child = fork();
        if (child == 0) {
            run_back(0);
            _exit(0);
        }
        waitpid(child, &status, 0);
    } else if (!is("vain")) {
        run_back(is("jump") ? SIGALRM : is("exit") ? SIGUSR1 : 0);
    }
    over = 1;
    if (is("cond")) {
        pthread_mutex_lock(&a);
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&a);
    }
    if (!is("end"))
        pthread_join(thread, NULL);
    if (is("jump") || is("exit")) {
        mode = "again";
        run_back(0);
    }
    puts("done");
    return status != 0;
}
EOF

# see NAME PROGRAM: runs it until it deadlocks, and makes NAME.sections of that.
see() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        rm -f "$1.jsonl"
        timeout 60 darn run --halt-on-error --json="$1.jsonl" -- "$2" >/dev/null 2>&1
        grep -q '"certainty":"observed"' "$1.jsonl" 2>/dev/null && break
    done
    rm -f "$1.sections"
    try darn heal --from="$1.jsonl" --write="$1.sections" -- "$2"
    expect_status 0
}

# heal NAME PROGRAM…: ends well, much sooner than the bound would let it.
heal() {
    local name=$1
    shift
    rm -f out.jsonl*
    DARN_OPTIONS=heal=$name.sections:heal_out=out.jsonl:heal_bound=60000 try timeout 100 "$@"
    expect_status 0
    expect_same "$out" "done"
    expect_has "$(cat out.jsonl)" '"match":"exact"'
    expect_lacks "$(cat out.jsonl)" '"expired":1'
}

darn cc -O1 -g ways.c -o ways -pthread || exit 1
see ways ./ways
heal ways ./ways

claim "a thread does not wait at a gate for one that waits for it"
heal ways ./ways vain
expect_has "$(cat out.jsonl)" '"cycles":1'

claim "a mutex that is given back for a condition variable opens the gate"
heal ways ./ways cond

claim "a thread that has ended occupies nothing"
heal ways ./ways end

claim "nor does one that a child process does not have"
heal ways ./ways fork

claim "a thread may jump away from a gate, and end there"
for way in jump exit; do
    for _ in 1 2 3 4 5 6 7 8; do # until the signal comes while it stands there
        heal ways ./ways $way
        grep -q '"avoided":1,' out.jsonl && break
    done
    expect_has "$(cat out.jsonl)" '"passed":3,"avoided":1,'
done

# Other locks, which are taken by a function of their own: the stacks tell who it is.
cat >kinds.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
#include <unistd.h>
#if defined(RW)
typedef pthread_rwlock_t lock_type;
#define MAKE(l) pthread_rwlock_init(l, NULL)
#define TAKE(l) pthread_rwlock_wrlock(l)
#define GIVE(l) pthread_rwlock_unlock(l)
#elif defined(C11)
typedef mtx_t lock_type;
#define MAKE(l) mtx_init(l, mtx_plain)
#define TAKE(l) mtx_lock(l)
#define GIVE(l) mtx_unlock(l)
#else
typedef pthread_mutex_t lock_type;
#define TAKE(l) pthread_mutex_lock(l)
#define GIVE(l) pthread_mutex_unlock(l)
static void MAKE(lock_type *l)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(l, &attributes);
}
#endif
static lock_type a, b, c;
static _Atomic int has_a, has_b;
__attribute__((noinline)) int take(lock_type *lock)
{
    int result = TAKE(lock);
    __asm__ volatile("" ::: "memory");
    return result;
}
static void wait_for(_Atomic int *flag)
{
    for (int i = 0; i < 40 && !*flag; i++)
        usleep(500);
}
__attribute__((noinline)) void first(void)
{
    take(&a);
#ifdef RECURSIVE
    take(&a);
    GIVE(&a);
#endif
    has_a = 1;
    wait_for(&has_b);
    take(&b);
    GIVE(&b);
    GIVE(&a);
}
static void *other(void *arg)
{
    take(&b);
    has_b = 1;
    wait_for(&has_a);
    take(&a);
    GIVE(&a);
    GIVE(&b);
    take(&c);
    GIVE(&c);
    return arg;
}
int main(void)
{
    pthread_t thread;
    MAKE(&a);
    MAKE(&b);
    MAKE(&c);
    pthread_create(&thread, NULL, other, NULL);
    first();
    pthread_join(thread, NULL);
    puts("done");
}
EOF
for kind in RW C11 RECURSIVE; do
    claim "deadlocks of other locks: $kind"
    darn cc -O1 -g -D$kind kinds.c -o kinds -pthread || exit 1
    see kinds ./kinds
    expect_has "$(cat kinds.sections)" '"function": "first"'
    for _ in 1 2 3 4 5; do
        heal kinds ./kinds
    done
done

claim "std::mutex without optimization: all locks are taken in the same function"
cat >bank.cpp <<'EOF'
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
struct Account {
    std::mutex lock;
    long value = 0;
} one, two;
std::atomic<int> first;
void transfer(Account &from, Account &to)
{
    std::lock_guard<std::mutex> outer(from.lock);
    first++;
    for (int i = 0; i < 40 && first < 2; i++)
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    std::lock_guard<std::mutex> inner(to.lock);
    from.value--;
    to.value++;
}
int main()
{
    std::thread x([] { transfer(one, two); });
    transfer(two, one);
    x.join();
    puts("done");
}
EOF
darn c++ -O0 -g bank.cpp -o bank -pthread || exit 1
see bank ./bank
expect_has "$(cat bank.sections)" '"function": "transfer(Account&, Account&)"'
for _ in 1 2 3 4 5; do
    heal bank ./bank
done

finish
