#!/bin/bash
# needs: compiler
# darn fix: a program of many files is built by the tool that has built it, with the user's own commands.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# project NAME: a library in C and a program in C++, with includes and macros that only the commands know.
project() {
    mkdir -p "$1/lib" "$1/src" "$1/include"
    cat >"$1/include/count.h" <<'EOF2'
#ifdef __cplusplus
extern "C" {
#endif
void add(long amount);
long total(void);
#ifdef __cplusplus
}
#endif
EOF2
    cat >"$1/lib/count.c" <<'EOF2'
#include <count.h>

static long sum;
static const char name[] = NAME;

void add(long amount)
{
    long old = sum;

    if (amount == 0 || !*name)
        return;
    sum = old + amount * STEP;
}

long total(void)
{
    return sum;
}
EOF2
    cat >"$1/src/main.cpp" <<'EOF2'
#include <cstdio>
#include <count.h>
#include <pthread.h>

static void *work(void *none)
{
    for (int i = 0; i < ROUNDS; i++)
        add(1);
    return none;
}

int main()
{
    pthread_t one, two;

    pthread_create(&one, nullptr, work, nullptr);
    pthread_create(&two, nullptr, work, nullptr);
    pthread_join(one, nullptr);
    pthread_join(two, nullptr);
    return total() == 2 * ROUNDS ? 0 : 1;
}
EOF2
}

# mend DIRECTORY PROGRAM: a hunt finds the lost update, and a patch is proved.
mend() {
    try darn hunt --seconds=30 --no-explore -o "$1.out" -- "$1/$2"
    expect_status 66
    try darn fix --seconds=1 "$1.out/1"
    expect_status 0
    expect_has "$out" "fix: hold 'sum_lock' "
    expect_has "$out" "+++ b/lib/count.c"
    expect_has "$out" "; the schedule of the finding ends well ("
}

claim "a project of make with a library, built from its outermost directory"
project made
cat >made/Makefile <<'EOF2'
all:
	$(MAKE) -C lib
	$(MAKE) -C src
EOF2
cat >made/lib/Makefile <<'EOF2'
libcount.a: count.o
	ar rcs $@ $^
count.o: count.c
	darn-cc -g -O1 -I../include -DSTEP=1 '-DNAME="a b"' -c $< -o $@
EOF2
cat >made/src/Makefile <<'EOF2'
counter: main.cpp ../lib/libcount.a
	darn-c++ -g -O1 -I../include -DROUNDS=3 $^ -o $@ -pthread
EOF2
make -s -C made >make.log 2>&1 || fault "$(cat make.log)"
mend made src/counter

claim "make was called with CC=darn-cc, which its makefile does not say: the commands that have built it are run again"
project called
cat >called/Makefile <<'EOF2'
CC = cc
CXX = c++
CFLAGS = -g -Iinclude -DSTEP=1 '-DNAME="a b"'
CXXFLAGS = -g -Iinclude -DROUNDS=3
counter: lib/count.o src/main.o
	$(CXX) $^ -o $@ -pthread
EOF2
make -s -C called CC=darn-cc CXX=darn-c++ >make.log 2>&1 || fault "$(cat make.log)"
mend called counter

claim "nobody has kept the commands, and an object is only in a library: they are in the program"
project kept
(
    cd kept &&
        echo "-DSTEP=1 '-DNAME=\"a b\"'" >flags &&
        darn-cc --darn-functions -g -O1 -Iinclude @flags -c lib/count.c -o lib/.count.o &&
        ar rcs lib/libcount.a lib/.count.o &&
        (cd src && darn-c++ -g -O1 -I../include -DROUNDS=3 -c main.cpp) &&
        darn-c++ src/main.o -Llib -lcount -o counter -pthread && rm flags lib/.count.o
) >kept.log 2>&1 || fault "$(cat kept.log)"
mend kept counter
[ ! -e kept/lib/.count.o ] || fault "the tree has been built in"

claim "a header that a patch changes is compiled into all"
cat >kept/include/count.h <<'EOF2'
#include <pthread.h>

static long sum;

static inline void add(long amount)
{
    long old = sum;

    sum = old + amount;
}
EOF2
cat >kept/src/main.c <<'EOF2'
#include <count.h>

void empty(void);

static void *work(void *none)
{
    add(1);
    return none;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    empty();
    return sum != 2;
}
EOF2
echo 'void empty(void) {}' >kept/lib/count.c
(
    cd kept && darn-cc -g -Iinclude -c lib/count.c -o lib/count.o && darn-cc -g -Iinclude -c src/main.c -o src/main.o &&
        darn-cc lib/count.o src/main.o -o counter
) >kept.log 2>&1 || fault "$(cat kept.log)"
rm -rf kept.out
try darn hunt --seconds=30 --no-explore -o kept.out -- kept/counter
expect_status 66
try darn fix --seconds=1 --tree=kept kept.out/1
expect_status 0
expect_has "$out" "+++ b/include/count.h"

claim "nothing is written outside the tree: an object that lies elsewhere is not made again"
(cd kept && darn-cc -g -Iinclude -c lib/count.c -o ../count.o && darn-cc ../count.o src/main.o -o counter) >kept.log 2>&1 ||
    fault "$(cat kept.log)"
cp count.o count.o.kept
try darn fix --seconds=1 --tree=kept kept.out/1
expect_refused "darn fix: how is $PWD/kept/counter built? --build='make' says the command, which is run in a copy of $PWD/kept"
cmp -s count.o count.o.kept || fault "an object outside the tree was written"

if [ "$(id -u)" = 0 ]; then
    claim "a makefile of another user is not run unasked: the program's own commands are"
    sed -i "s,^all:,all:\n\ttouch '$PWD/ran'," made/Makefile
    chown 65534 made/Makefile made/*/Makefile
    try darn fix --seconds=1 made.out/1
    expect_status 0
    [ ! -e ran ] || fault "it was run"
fi

claim "a project of CMake, with absolute paths in all commands, in a directory of its own"
if command -v cmake >/dev/null; then
    project "c make"
    cat >"c make/CMakeLists.txt" <<'EOF2'
cmake_minimum_required(VERSION 3.13)
project(counter C CXX)
find_package(Threads REQUIRED)
add_library(count STATIC lib/count.c)
target_include_directories(count PUBLIC include)
target_compile_definitions(count PRIVATE STEP=1 "NAME=\"a b\"")
add_subdirectory(src)
EOF2
    cat >"c make/src/CMakeLists.txt" <<'EOF2'
add_executable(counter main.cpp)
target_compile_definitions(counter PRIVATE ROUNDS=3)
target_link_libraries(counter count Threads::Threads)
EOF2
    cmake -S "c make" -B "c make/build" -DCMAKE_C_COMPILER=darn-cc -DCMAKE_CXX_COMPILER=darn-c++ -DCMAKE_BUILD_TYPE=Debug >cmake.log 2>&1 &&
        cmake --build "c make/build" >>cmake.log 2>&1 || fault "$(cat cmake.log)"
    mend "c make" build/src/counter

    claim "where nothing can be mounted, the tree is not built in"
    mkdir path
    printf '#!/bin/sh\nexit 1\n' >path/unshare
    chmod +x path/unshare
    PATH=$PWD/path:$PATH try darn fix --seconds=1 "c make.out/1"
    expect_refused "darn fix: no mount namespace can be made here, and a build by CMake or ninja would work on $PWD/c make itself: --build says another one"
fi
finish
