#!/bin/bash
# needs: compiler
# The Debian package: what is in it, and that it works from wherever it is unpacked; and CMake's find_package(darn).
. "$(dirname "$0")/lib.bash"

claim "the package is made, and says what it needs"
try cpack -G DEB --config "$bin/../CPackConfig.cmake" -B "$PWD/deb" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip
expect_status 0
deb=$(echo deb/darn_*_*.deb)
expect_same "$(dpkg-deb -f "$deb" Package)" darn
expect_same "$(dpkg-deb -f "$deb" Version)" "$("$bin/darn" --version | sed 's/darn //')"
for package in clang-19 libc6 libdw1 libelf1 libjansson4 libzstd1 libstdc++6; do
    expect_has "$(dpkg-deb -f "$deb" Depends)" "$package"
done
expect_same "$(dpkg-deb --ctrl-tarfile "$deb" | tar t | grep -c conffiles)" 0

claim "it has the command, its parts, the pages and the license, and belongs to root"
dpkg-deb -x "$deb" tree
for file in bin/darn lib/darn/{darn_plugin.so,libdarn_rt.a,libdarn_heal_rt.a,libdarn_rt.so,darn_rt.syms,instead} include/darn.h \
    lib/cmake/darn/darn-config{,-version}.cmake share/doc/darn/{copyright,CHANGELOG.md,examples/{bank,transfer}.c} share/man/man1/darn{,-run}.1 \
    share/bash-completion/completions/darn share/zsh/{site-functions,vendor-completions}/_darn; do
    [ -s "tree/usr/$file" ] || fault "$file is missing"
done
expect_same "$(dpkg-deb -c "$deb" | awk '$2 != "root/root"')" ""

claim "the demo runs from there"
cp tree/usr/share/doc/darn/examples/bank.c .
try tree/usr/bin/darn-cc -O1 -g bank.c -o bank -pthread
expect_status 0
try tree/usr/bin/darn run -- ./bank
expect_status 66
expect_has "$err" "data race on 'acct->balance'"

claim "a project that uses gcc can have a target watched, and others not"
mkdir project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(bank C CXX)
find_package(darn REQUIRED)
find_package(Threads REQUIRED)
add_library(part STATIC part.cc)
add_executable(watched bank.c)
add_executable(mixed use.cc)
add_executable(plain bank.c)
target_link_libraries(watched Threads::Threads)
target_link_libraries(mixed part Threads::Threads)
target_link_libraries(plain Threads::Threads)
darn_enable(watched part mixed FUNCTIONS)
enable_testing()
add_test(NAME watched COMMAND ${DARN_EXECUTABLE} run -- $<TARGET_FILE:watched>)
END
cp bank.c project
printf 'int part_of;\nint part() { return part_of++; }\n' >project/part.cc
printf '#include <darn.h>\nint part();\nint main() { return part(); }\n' >project/use.cc
try cmake -S project -B out -DCMAKE_PREFIX_PATH="$PWD/tree/usr" -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
expect_status 0
try cmake --build out
expect_status 0
for name in watched mixed; do
    try tree/usr/bin/darn run --exitcode=0 -- out/$name
    expect_status 0
done
try tree/usr/bin/darn run -- out/plain
expect_status 2
expect_has "$err" "was not compiled by darn"
(cd out && ctest >../ctest.log 2>&1) && fault "the test of a program with a race has passed"

claim "wrong uses of the module are told"
echo 'darn_enable(nothing)' >>project/CMakeLists.txt
try cmake -S project -B out
expect_status 1
expect_has "$err" "darn_enable: there is no target 'nothing'"

finish
