#!/bin/bash
# needs: compiler
# more: all levels of optimization
# LLVM's verifier accepts what the plugin makes of the programs in plugin/zoo, which hold every
# construct that we could think of, and the code generator takes it.
. "$(dirname "$0")/plugin.bash"
size=
does_all && size=-Os
words="-Wall -Wextra -Werror -mcx16 -Wno-array-bounds -Wno-null-dereference -Wno-psabi -Wno-atomic-alignment"

# verified COMPILER SOURCE OBJECT WORD...: the code generator asks the verifier first, which a plain clang spares itself.
verified() {
    local compiler=$1 source=$2 object=$3

    shift 3
    build $compiler "$@" -fverify-intermediate-code -c "$source" -o $object
    grep -qa darn_hook_ $object || fault "$* $source: the plugin has not been there"
}

for source in "$sources"/zoo/*.c "$sources"/sites/spins_*.c "$sources"/sites/waits.c; do
    claim "$(basename "$source")"
    for level in $levels $size; do
        verified "$bin/darn-cc" "$source" object.o $words $level
    done
    verified "$bin/darn-cc" "$source" object.o $words -O2 -fPIC -ffast-math -fstack-protector-all
    verified "$bin/darn-cc" "$source" object.o $words -O2 -fno-pic -mavx2 -fno-strict-aliasing
    verified "$bin/darn-cc" "$source" object.o $words -O1 --darn-functions
    everything object.o >wanted
    for level in -O0 -O2; do
        verified "$bin/darn-cc" "$source" object.o $words $level --only=wanted
        expect_has "$(nm object.o)" darn_hook_done
    done
done

claim "spin loops and waits of C++"
for source in "$sources"/sites/spins*.cc "$sources"/sites/waits.cc; do
    for level in $levels; do
        verified "$bin/darn-c++" "$source" object.o -Wall -Wextra $level
    done
done

# The same result as without darn, with inline functions and templates in both files.
claim "exceptions, templates and objects with lives of their own in two files of C++"
for level in -O0 -O2; do
    for name in one two; do
        verified "$bin/darn-c++" "$sources/zoo/$name.cc" $name.o -Wall -Wextra $level --darn-functions
    done
    build "$bin/darn-c++" one.o two.o -o program
    everything program >wanted
    for name in one two; do
        verified "$bin/darn-c++" "$sources/zoo/$name.cc" $name.o -Wall -Wextra $level --only=wanted
    done
    build "$bin/darn-c++" --only=wanted one.o two.o -o healed
    build clang++-19 $level "$sources/zoo/one.cc" "$sources/zoo/two.cc" -o plain
    try ./plain
    expected="$status $out"
    expect_has "$expected" "0 "
    for options in "" "heal=wanted"; do
        DARN_OPTIONS=$options try ./healed
        expect_same "$level $options: $status $out" "$level $options: $expected"
    done
    for options in "" "noise='random:0/0'"; do
        DARN_OPTIONS=$options try ./program
        expect_same "$level $options: $status $out$err" "$level $options: $expected"
    done
done

finish
