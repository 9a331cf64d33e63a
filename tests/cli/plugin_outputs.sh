#!/bin/bash
# needs: compiler
# more: all levels of optimization
# The same sites come out of every way to compile, and are there after linking.
. "$(dirname "$0")/plugin.bash"
export PATH=$bin:$PATH

cat >one.c <<'END'
struct account { int id; long balance; };
struct account bank[10];
int last;
int get(int i) { last = i; return bank[i].id; }
END
cat >two.c <<'END'
#include <stdio.h>
int get(int);
int own;
int main(void) { own = get(3); printf("%d\n", own); return 0; }
END
one="get read - 4 bank[].id
get write - 4 last"
listed() { sites "$1" | LC_ALL=C sort; }

claim "an object, and an object by way of assembler"
for level in $levels; do
    build darn-cc $level -c one.c -o one.o
    expect_same "$level $(listed one.o)" "$level $one"
    build darn-cc $level -S one.c -o one.s
    build darn-cc -c one.s -o one.o
    expect_same "$level $(listed one.o)" "$level $one"
done

claim "position independent code, and code that is not"
for words in -fPIC -fPIE -fno-pic "-fPIC -fno-plt" "-fPIC -fvisibility=hidden"; do
    build darn-cc -O2 $words -c one.c -o one.o
    expect_same "$words $(listed one.o)" "$words $one"
done

claim "a shared object"
for level in $levels; do
    build darn-cc $level -shared -fPIC one.c -o libone.so
    expect_same "$level $(listed libone.so)" "$level $one"
done

claim "records are read only and need no relocation at load time, and what is armed can be written"
flags() { readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v name="$2" '$1 == name { print $7 }'; }
for words in "" -fPIC "-O2 -fPIC" "-O2 -fno-pic" "-O2 -fPIC -ffunction-sections -fdata-sections"; do
    build darn-cc $words -c one.c -o one.o
    expect_same "$words $(flags one.o darn_sites)" "$words A"
    expect_same "$words $(flags one.o darn_armed)" "$words WA"
done
for linker in bfd lld; do
    [ $linker = bfd ] || [ -n "$(command -v ld.$linker)" ] || continue
    build darn-cc -O1 -fuse-ld=$linker -shared -fPIC -Wl,-z,text -Wl,--gc-sections one.c -o libone.so
    expect_same "$linker $(flags libone.so darn_sites)" "$linker A"
    expect_same "$linker $(flags libone.so darn_armed)" "$linker WA"
    expect_lacks "$(readelf -d libone.so)" TEXTREL
done

claim "every kind of debug info that has lines"
for words in -g -g1 -gdwarf-4 -gsplit-dwarf -fdebug-types-section -gz; do
    build darn-cc -O1 $words -c one.c -o one.o
    expect_same "$words $(listed one.o | cut -d ' ' -f 1-4)" "$words get read - 4
get write - 4"
done

claim "without debug info the globals still have their names"
build darn-cc -O1 -g0 -c one.c -o one.o
expect_has "$(listed one.o)" "get write - 4 last"

claim "without debug info reads are watched, too"
for level in $levels; do
    build darn-cc $level -g0 -c one.c -o one.o
    expect_has "$level $(listed one.o)" "$level get read - 4 bank"
done

claim "a program has the sites of its parts"
build darn-cc -O1 -c one.c -o one.o
build darn-cc -O1 -c two.c -o two.o
build darn-cc one.o two.o -o program
expect_same "$(listed program)" "$(cat <(listed one.o) <(listed two.o) | LC_ALL=C sort)"
build darn-cc -O1 one.c two.c -o program
expect_same "$(listed program)" "$(cat <(listed one.o) <(listed two.o) | LC_ALL=C sort)"

claim "unused functions that the linker drops do no harm"
build darn-cc -O1 -ffunction-sections -fdata-sections -Wl,--gc-sections one.c two.c -o program
try ./program
expect_status 0
expect_same "$out" "0"

claim "an inline function of two files is there once, with its sites"
cat >part.h <<'END'
extern int shared;
inline int bump() { return ++shared; }
template <typename T> struct box { static T value; T put(T v) { return value = v; } };
template <typename T> T box<T>::value;
END
printf '#include "part.h"\nint shared;\nint other();\nint main() { return bump() + other() + box<int>().put(1) == 4 ? 0 : 1; }\n' >a.cc
printf '#include "part.h"\nint other() { return bump() + box<int>().put(1) - 1; }\n' >b.cc
for level in $levels; do
    build darn-c++ $level a.cc b.cc -o program
    try ./program
    expect_status 0
done
build darn-c++ -O0 a.cc b.cc -o program
expect_same "$(listed program | grep -c '^bump write')" 1
expect_same "$(listed program | grep -c '^put write')" 1

claim "a file without accesses has no sites, and is silent about it"
echo 'int twice(int n) { return 2 * n; }' >none.c
for level in $levels; do
    build darn-cc $level -c none.c -o none.o
    expect_same "$(listed none.o)" ""
done
build darn-cc -c -x c /dev/null -o none.o

finish
