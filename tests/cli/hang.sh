#!/bin/bash
# needs: compiler
# A hang is claimed when it is proved: what no hook sees may be progress, too. In each mode a thread that meets another
# one between two stores goes around a loop.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >loops.cpp <<'EOF'
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <atomic>
#include <string>

#define CYCLES 1000000000000ull
#define ROUNDS 3000000

extern "C" int foreign(void);
extern "C" int foreign_random(void);

static std::atomic<int> begun, ended;
static std::string mode, grows;
static unsigned seed = 1;
static thread_local unsigned own_seed = 1;
static char *text, *rest;
static volatile long count;
static volatile int turn;
static pthread_key_t key;

static void *other(void *arg)
{
    begun = 1;
    ended = 1;
    return arg;
}

static unsigned long long ticks(void)
{
    unsigned low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long long)high << 32 | low;
}

static bool is_there(void)
{
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(21L), "D"("never"), "S"(0L)
                     : "rcx", "r11", "memory");
    return result == 0;
}

/* The kernel keeps this clock in memory: there is no call, and no instruction that reads a clock. */
static bool is_early(void)
{
    static int (*read_clock)(clockid_t, struct timespec *);
    struct timespec now;

    if (!read_clock)
        *(void **)&read_clock =
            dlsym(dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD), "__vdso_clock_gettime");
    read_clock(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec < 1000000000;
}

/* Counts in a register of the old floating point. */
static bool is_small(void)
{
    static const int most = ROUNDS;
    unsigned char is_less;

    __asm__ volatile("fld1; faddp; ficoml %1; fnstsw %%ax; sahf; setb %0" : "=r"(is_less) : "m"(most) : "ax", "cc");
    return is_less;
}

static bool goes_on(unsigned long long end)
{
    if (mode == "string")
        return grows.append("ab").size() < ROUNDS;
    if (mode == "rand_r")
        return rand_r(&seed) % 1000003 != 7;
    if (mode == "thread_local")
        return rand_r(&own_seed) % 1000003 != 7;
    if (mode == "strtok_r")
        return strtok_r(NULL, ",", &rest);
    if (mode == "assembly") {
        __asm__ volatile("incq %0" : "+m"(*(long *)&count));
        return *(long *)&count < ROUNDS;
    }
    if (mode == "specific") {
        pthread_setspecific(key, (char *)pthread_getspecific(key) + 1);
        return (long)pthread_getspecific(key) < ROUNDS;
    }
    if (mode == "library")
        return foreign();
    if (mode == "rdtsc")
        return __rdtsc() < end;
    if (mode == "ticks")
        return ticks() < end;
    if (mode == "coarse")
        return is_early();
    if (mode == "random")
        return foreign_random();
    if (mode == "float")
        return is_small();
    if (mode == "file")
        return access("never", F_OK) != 0;
    if (mode == "call")
        return !is_there();
    if (mode == "block") {
        int *block = (int *)malloc(100);

        *block = turn;
        turn = !*block;
        free(block);
    } else {
        turn = !turn;
    }
    return turn != 3;
}

static void *loop(void *arg)
{
    unsigned long long end = __rdtsc() + CYCLES;

    if (begun && !ended) {
        __asm__ volatile("fninit; fldz");
        while (goes_on(end))
            sched_yield();
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    mode = argv[argc - 1];
    pthread_key_create(&key, NULL);
    text = (char *)malloc(ROUNDS + 1);
    memset(text, ',', ROUNDS);
    for (int i = 0; i < ROUNDS; i += 2)
        text[i] = 'a';
    text[ROUNDS] = '\0';
    strtok_r(text, ",", &rest);
    pthread_create(&threads[0], NULL, other, NULL);
    pthread_create(&threads[1], NULL, loop, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
EOF
cat >foreign.c <<'EOF'
static int *left;
static int room = 3000000;

int foreign(void)
{
    left = &room;
    return --*left > 0;
}

int foreign_random(void)
{
    unsigned long number = 0;

    if (!__builtin_cpu_supports("rdrnd"))
        return foreign();
    __asm__ volatile("rdrand %0" : "+r"(number)::"cc");
    return number != 7;
}
EOF
clang-19 -shared -fPIC foreign.c -o libforeign.so
darn c++ -O1 -g loops.cpp -o loops -L. -lforeign -Wl,-rpath,. -pthread

claim "progress in memory that no hook sees is no hang"
for mode in string rand_r thread_local strtok_r assembly specific library float; do
    try darn explore --schedules=4 --seed=1 --jobs=1 --max-steps=2000 -- ./loops $mode
    expect_status 0
    expect_has "$err" " cut off after 2000 steps"
done

claim "nor is waiting for the clock, for a file, or for anything else outside"
for mode in rdtsc ticks coarse random file call; do
    try darn explore --schedules=4 --seed=1 --jobs=1 --max-steps=2000 -- ./loops $mode
    expect_status 0
    expect_has "$err" " cut off after 2000 steps"
done

claim "a loop that only comes round is one, also when it allocates"
for mode in flips block; do
    try darn explore --schedules=4 --seed=1 --jobs=1 --max-steps=2000 -o out-$mode -- ./loops $mode
    expect_status 66
    expect_has "$err" "warning: the program hangs: every thread gets its turn, and the same state comes again [failure, confirmed]"
    try darn replay --times=3 out-$mode/1
    expect_has "$out" "3 of 3"
done

finish
