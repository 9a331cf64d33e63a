#!/bin/bash
# needs: compiler
# An installed darn works from wherever it is put, and needs nothing of the tree it was built in.
. "$(dirname "$0")/lib.bash"

claim "make install honours DESTDIR and PREFIX"
try env DESTDIR="$PWD/stage" cmake --install "$bin/.." --prefix /opt/darn
expect_status 0
for file in bin/darn lib/darn/darn_plugin.so lib/darn/libdarn_rt.a lib/darn/darn_rt.syms include/darn.h share/man/man1/darn{,-run,-sections-infer}.1 share/bash-completion/completions/darn{,-cc,-c++}; do
    [ -f "stage/opt/darn/$file" ] || fault "$file is missing"
done
for link in darn-cc darn-c++; do
    expect_same "$(readlink "stage/opt/darn/bin/$link")" darn
done

claim "what was installed compiles and runs, also after it was moved"
mv stage/opt/darn "a place"
printf '#include <darn.h>\nint x;\nint main(void) { return ++x - 1; }\n' >main.c
try "a place/bin/darn-cc" -Wall -Werror main.c -o main
expect_status 0
expect_same "$out$err" ""
try "a place/bin/darn" run ./main
expect_status 0
try strings -a main
expect_lacks "$out" "$bin"

finish
