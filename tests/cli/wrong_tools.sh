#!/bin/bash
# needs: compiler
# Wrong tools and misspelled words: one clear line each.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

claim "a command or an option that was misspelled is guessed"
try "$darn" rnu
expect_refused "darn: there is no command 'rnu'; did you mean 'run'?"
try "$darn" anlyze
expect_refused "darn: there is no command 'anlyze'; did you mean 'analyze'?"
try "$darn" help reprot
expect_refused "darn help: there is no command 'reprot'; did you mean 'report'?"
try "$darn" run --bugdet=3 true
expect_refused "darn run: there is no option --bugdet=3; did you mean --budget?"
try "$darn" hunt --secnds 3 true
expect_refused "darn hunt: there is no option --secnds; did you mean --seconds?"
try "$darn" cc --darn-functon a.c
expect_refused "darn cc: there is no option --darn-functon; did you mean --darn-functions?"

claim "what is like nothing is not guessed"
try "$darn" xyzzy
expect_refused "darn: there is no command 'xyzzy'; 'darn help' lists them"
try "$darn" run --xyzzy true
expect_refused "darn run: there is no option --xyzzy; 'darn run --help' lists them"

claim "the version is told by each of the usual options"
try "$darn" --version
version=$out
for option in -v -V; do
    try "$darn" $option
    expect_status 0
    expect_same "$out" "$version"
done
try "$darn" -h
expect_status 0
expect_has "$out" "usage: darn COMMAND"
try "$darn" run -h
expect_same "$status ${out:0:15}" "0 usage: darn run"

printf 'int x;\nint f(void) { return x++; }\nint main(void) { return f(); }\n' >main.c

claim "a compiler that is not clang 19 is told of"
try env DARN_CLANG=gcc "$darn" cc -c main.c
expect_refused "darn cc: DARN_CLANG=gcc is gcc: the plugin of darn is for clang 19"
ln -s "$(command -v gcc)" some-compiler
try env DARN_CLANG="$PWD/some-compiler" "$darn" cc -c main.c
expect_refused "darn cc: DARN_CLANG=$PWD/some-compiler is gcc: the plugin of darn is for clang 19"
# Another LLVM: a program that loads the plugin as clang does, and says that it is version 17.
cat >other.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#ifdef VERSION
void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch)
{
    *major = VERSION, *minor = *patch = 0;
}
#endif
int main(int argc, char **argv)
{
    void *plugin = dlopen(argv[argc - 1], RTLD_LAZY), *begin = plugin ? dlsym(plugin, "llvmGetPassPluginInfo") : 0;
    char info[64];

    if (!begin)
        return puts(dlerror());
    ((void (*)(void *))begin)(info);
    return puts("was not refused");
}
END
nm -Du "$bin/../lib/darn/darn_plugin.so" | awk '$2 ~ /^_Z.*4llvm/ { print "char " $2 "[64];" }' >>other.c # what is bound at once
try gcc -rdynamic -DVERSION=17 other.c -o other17
expect_status 0
try ./other17 "$bin/../lib/darn/darn_plugin.so"
expect_same "$out" ""
expect_same "$err" "darn: the plugin is for clang 19, and this is clang 17; let DARN_CLANG and DARN_CLANGXX name clang 19, or unset them"
expect_status 2
try gcc -rdynamic other.c -o older
try ./older "$bin/../lib/darn/darn_plugin.so"
expect_has "$err" "and this is an older clang;"

claim "who links with another compiler reads what to do"
try "$darn" cc -c main.c -o main.o
expect_status 0
for compiler in gcc clang-19; do
    try $compiler main.o -o main
    expect_status 1
    expect_has "$err" "undefined reference to \`darn_module_init__link_this_with_darn_cc'"
done
try "$darn" cc main.o -o main
expect_status 0

claim "options that only gcc knows are left out, with a line"
try "$darn" cc -fvar-tracking-assignments -fno-tree-dominator-opts -fno-tree-vectorize -c main.c
expect_status 0
expect_same "$err" "darn cc: warning: -fno-tree-dominator-opts is for gcc alone, and left out"
try "$darn" cc -w -fno-ipa-sra -c main.c
expect_same "$err" ""

claim "programs in other languages are told of"
printf '#!/usr/bin/env python3\nprint(1)\n' >script.py
printf '#!/usr/bin/perl -w\nprint 1\n' >script.pl
printf '#!/bin/sh\nexit 0\n' >script.sh
chmod +x script.*
foreign="only C and C++ that darn compiled is watched, in programs that it starts"
mkdir path
printf '#!/bin/sh\nexit 0\n' >path/python3 && chmod +x path/python3
PATH=$PWD/path:$PATH try "$darn" run ./script.py
expect_status 0
expect_same "$err" "darn run: warning: ./script.py is Python: $foreign"
try "$darn" run ./script.sh
expect_same "$out$err" ""
gcc main.c -o path/python3.11
try "$darn" run path/python3.11 script.py
expect_refused "darn run: path/python3.11 is Python: $foreign (--any runs it as it is)"
printf 'rustc version 1.75.0\0' >comment
objcopy --update-section .comment=comment path/python3.11 rusty
try "$darn" run ./rusty
expect_refused "darn run: ./rusty is a Rust program: darn watches C and C++ (--any runs it as it is)"
objcopy --add-section .go.buildinfo=comment path/python3.11 gopher
try "$darn" run ./gopher
expect_refused "darn run: ./gopher is a Go program: darn watches C and C++ (--any runs it as it is)"

finish
