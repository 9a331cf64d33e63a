#!/bin/bash
# needs: compiler
# The ways in which build systems use a compiler, with the real clang, plugin and runtime. Every
# success is silent, also with -Werror.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

silent() {
    try "$@"
    expect_status 0
    expect_same "$out$err" ""
}
runs() {
    try "$@"
    expect_status 0
    expect_same "$out" "ok"
}

cat >ok.c <<'END'
#include <darn.h>
#include <stdio.h>
int total;
int main(void)
{
    total++;
    puts(total == __DARN__ ? "ok" : "wrong");
    return 0;
}
END
cat >ok.cc <<'END'
#include <iostream>
#include <stdexcept>
int total;
static void fail() { total++; throw std::runtime_error("ok"); }
int main()
{
    try {
        fail();
    } catch (const std::exception &e) {
        std::cout << e.what() << "\n";
    }
}
END
strict="-Wall -Wextra -Werror"

claim "C at every level of optimization"
for level in -O0 -O1 -O2 -O3 -Os; do
    silent darn-cc $strict $level ok.c -o ok
    runs ./ok
    runs "$bin/darn" run ./ok
done

claim "C++ with exceptions"
for level in -O0 -O2; do
    silent darn-c++ $strict $level ok.cc -o ok
    runs ./ok
done

claim "a macro right behind a string, as gcc takes it"
printf '#include <cinttypes>\n#include <cstdio>\nint main() { std::printf("%%"PRIu64"\\n", UINT64_C(7)); }\n' >old.cpp
try "$bin/darn" c++ old.cpp -o old
expect_status 0
expect_same "$(./old)" 7

claim "compiling and linking apart"
silent darn-cc $strict -c ok.c -o ok.o
silent darn-cc $strict ok.o -o ok
runs ./ok

claim "dependencies"
silent darn-cc $strict -MD -MF ok.d -MT target -c ok.c -o ok.o
expect_has "$(cat ok.d)" "target: ok.c"
try darn-cc -MM ok.c
expect_has "$out" "ok.o: ok.c"

claim "preprocessing first, as caches of compilers do"
silent darn-cc $strict -E ok.c -o ok.i
silent darn-cc $strict ok.i -o ok
runs ./ok

claim "from the standard input"
try darn-cc $strict -x c -c - -o stdin.o
expect_status 0
try darn-cc -xc++ - -E
expect_status 0

claim "assembler, with warnings as errors"
silent darn-cc $strict -S ok.c -o ok.s
silent darn-cc $strict ok.s -o ok
runs ./ok
printf '.globl f\nf: ret\n.section .note.GNU-stack,"",@progbits\n' >f.S
silent darn-cc -Weverything -Werror -c f.S
silent darn-cc -Weverything -Werror -c -x assembler f.S -o f.o

claim "link-time optimization is off"
silent darn-cc $strict -O2 -flto ok.c -o ok
runs ./ok
silent darn-cc $strict -O2 -flto=thin -c ok.c -o ok.o
expect_has "$(od -A n -t x1 -N 4 ok.o)" "7f 45 4c 46"

claim "the user's own debug options win, but -g0 keeps the lines"
silent darn-cc -c -g0 ok.c -o ok.o
expect_has "$(readelf -SW ok.o)" ".debug_line"
expect_lacks "$(readelf --debug-dump=info ok.o)" "DW_TAG_variable"
silent darn-cc -c ok.c -o ok.o
expect_has "$(readelf -SW ok.o)" ".debug_info"

claim "a response file"
echo '-Wall "ok.c" -o ok' >line
silent darn-cc @line
runs ./ok

claim "a precompiled header"
echo 'int declared;' >pre.h
silent darn-cc $strict -x c-header pre.h -o pre.h.pch
silent darn-cc $strict -include pre.h ok.c -o ok
runs ./ok

claim "shared objects take the hooks from the program, also through dlopen"
cat >lib.c <<'END'
int count;
int next(void) { return ++count; }
END
cat >user.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *lib = dlopen("./liblib.so", RTLD_NOW);
    int (*next)(void) = lib ? (int (*)(void))dlsym(lib, "next") : 0;
    if (!next)
        puts(dlerror());
    else
        puts(next() + next() == 3 ? "ok" : "wrong");
    return 0;
}
END
for words in "" "-Wl,-z,defs" "-Wl,--no-undefined"; do
    silent darn-cc $strict -O1 -fPIC -shared $words lib.c -o liblib.so
    silent darn-cc $strict -O1 user.c -o user
    runs ./user
    runs "$bin/darn" run ./user
done
printf 'int next(void);\n#include <stdio.h>\nint main(void) { puts(next() ? "ok" : "wrong"); }\n' >linked.c
silent darn-cc linked.c -o linked ./liblib.so
runs ./linked

claim "a relocatable object"
silent darn-cc -c ok.c -o ok.o
silent darn-cc -r ok.o -o ok-r.o
silent darn-cc ok-r.o -o ok
runs ./ok

claim "position independent or not"
silent darn-cc -no-pie -fno-pie ok.c -o ok
runs ./ok
silent darn-cc -pie -fPIE ok.c -o ok
runs ./ok

claim "unused sections may be dropped"
silent darn-cc -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections ok.c -o ok
runs ./ok

claim "stripped, it is still a program of darn"
strip ok
runs "$bin/darn" run ./ok

claim "a function in the ignore list has no sites"
cat >two.c <<'END'
int shared;
void seen(void) { shared++; }
void unseen(void) { shared--; }
END
sites() { readelf -SW two.o | sed -n 's/.* darn_sites  *PROGBITS  *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\).*/\1/p'; }
silent darn-cc -c two.c
both=$((16#$(sites)))
echo 'fun:unseen' >list
silent darn-cc --darn-ignorelist=list -c two.c
one=$((16#$(sites)))
[ "$one" -gt 0 ] && [ "$one" -lt "$both" ] || fault "$one of $both bytes of sites"
echo 'src:*two.c' >list
silent darn-cc --darn-ignorelist=list -c two.c
expect_same "$(sites)" ""

claim "questions are answered by clang"
for question in --version -dumpmachine -dumpversion -print-search-dirs -print-libgcc-file-name; do
    try darn-cc $question
    expect_status 0
    cp .out answer
    try clang-19 $question
    cmp -s .out answer || fault "$question"
done
try darn-cc
expect_status 1
expect_has "$err" "no input files"

claim "exceptions are thrown and caught, wherever the library that throws them comes from"
cat >throw.cpp <<'END'
#include <cstdio>
#include <stdexcept>
#include <thread>
static void work() { try { throw std::runtime_error("caught"); } catch (std::exception &e) { puts(e.what()); } }
int main() { std::thread thread(work); thread.join(); return 0; }
END
for how in "" -static-libstdc++ -static-libgcc; do
    # shellcheck disable=SC2086 # one word or none
    try "$bin/darn-c++" -O1 -g throw.cpp -o throw -pthread $how
    expect_status 0
    try ./throw
    expect_status 0
    expect_same "$out" caught
done

claim "a program is watched, and is none for production, whatever linker makes it"
cat >racy.c <<'END'
#include <pthread.h>
int shared;
static void *work(void *none) { for (int i = 0; i < 1000; i++) shared++; return none; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
END
for linker in bfd gold lld; do
    [ -n "$(command -v ld.$linker)" ] || continue
    silent darn-cc -fuse-ld=$linker -g -O1 racy.c -o racy -pthread
    try darn run -- ./racy
    expect_status 66
done

claim "--darn-stats tells what it costs, for each file; nothing else does"
cat >other.c <<'END'
int other(int *p) { return *p; }
END
try darn-cc --darn-stats -O1 -c two.c other.c
expect_status 0
expect_same "$(sed -E 's/[0-9]+\.[0-9]{2} s/S/g; s/[0-9]+ MB/MB/; s/ [0-9]+ s/ N s/g' .err)" \
    "darn: two.c: N sites, N sections; S of processor time, S of it in the plugin, and MB
darn: other.c: N sites, N sections; S of processor time, S of it in the plugin, and MB"
silent darn-cc -O1 -c other.c
DARN_STATS=1 try darn-cc -O1 -c other.c
expect_has "$err" "darn: other.c: 1 sites, 0 sections"

finish
