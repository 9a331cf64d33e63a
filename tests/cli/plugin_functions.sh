#!/bin/bash
# needs: compiler
# more: all levels of optimization
# --darn-functions: functions tell where they begin and end, whichever way they are left.
. "$(dirname "$0")/plugin.bash"
export PATH=$bin:$PATH

cat >calls.cc <<'END'
#include <cstdio>
#include <stdexcept>
#include <string>
struct trace {
    ~trace() { std::puts("cleaned up"); }
};
__attribute__((noinline)) int choose(int n)
{
    trace t;
    int table[10];

    for (int i = 0; i < 10; i++)
        table[i] = i * n;
    if (n > 5)
        return table[n % 10];
    if (n == 3)
        throw std::runtime_error("three");
    return (int)std::string(table[1], 'x').size();
}
__attribute__((noinline)) int sized(int n)
{
    volatile char room[n];

    room[n - 1] = 1;
    return room[n - 1];
}
[[gnu::noinline]] int last(int n) { return n + 1; }
[[gnu::noinline]] int tail(int n) { [[clang::musttail]] return last(n); }
int main()
{
    try {
        std::printf("%d %d %d %d\n", choose(7), choose(2), sized(100), tail(4));
        choose(3);
    } catch (const std::exception &e) {
        std::puts(e.what());
    }
    return 0;
}
END

# How often the function calls the hook, in the assembler of -S.
calls() { awk -v name="$1:" -v hook="$2" '$1 == name { in_it = 1 } in_it && index($0, hook) { n++ } in_it && /^\.Lfunc_end/ { exit } END { print n + 0 }' calls.s; }

claim "nothing of it without the option"
build darn-c++ -O1 -S calls.cc
expect_lacks "$(cat calls.s)" darn_hook_begin
expect_lacks "$(cat calls.s)" darn_functions

claim "one beginning, and an end for each way out"
for level in $levels; do
    build darn-c++ --darn-functions $level -S calls.cc
    expect_same "$level $(calls _Z6choosei darn_hook_begin)" "$level 1"
    [ "$(calls _Z6choosei darn_hook_end)" -ge 2 ] || fault "$level: return and exception are not both told"
    expect_same "$level $(calls _Z4taili darn_hook_end)" "$level 1"
done

claim "the site is the definition of the function"
for level in $levels; do
    build darn-c++ --darn-functions $level -c calls.cc
    expect_has "$level $("$bin/../tests/tools/sites" calls.o)" "calls.cc:7:0 choose function - 0 -"
done
build env DARN_FUNCTIONS=1 darn-c++ -c calls.cc
expect_has "$(sites calls.o)" "choose function - 0 -"

claim "what is of the C++ library is no transaction, and the program's own functions are"
cat >library.cc <<'END'
#include <thread>
struct own {
    void run() { turns++; }
    int turns = 0;
};
void start(own &one) { std::thread([&] { one.run(); }).join(); }
END
build darn-c++ --darn-functions -O0 -c library.cc
expect_has "$(sites library.o)" "
run function - 0 -"
expect_has "$(sites library.o)" "
_M_run function no-unit 0 -"
expect_same "$(sites library.o | grep -c '^__invoke_impl.* function no-unit 0 -')" 1

claim "the program does the same"
build clang++-19 -Wno-vla-cxx-extension calls.cc -o plain
try ./plain
expected="$status $out"
for level in $levels; do
    for words in -fPIE -fPIC "-fno-pie -no-pie"; do
        build darn-c++ --darn-functions $level $words calls.cc -o program
        try ./program
        expect_same "$level $words $status $out$err" "$level $words $expected"
    done
done

finish
