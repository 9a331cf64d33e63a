#!/bin/bash
# What `darn cc` hands to clang.
. "$(dirname "$0")/lib.bash"
make_stub_tree
darn=$tree/bin/darn

# The arguments between which the user's own stand.
first="--start-no-unused-arguments
-g
-fstandalone-debug
-fpass-plugin=$tree/lib/darn/darn_plugin.so
-Wno-error=reserved-user-defined-literal
-frecord-command-line
-D__DARN__=1
-idirafter
$tree/include
--end-no-unused-arguments"
frames="-fno-omit-frame-pointer
-mno-omit-leaf-frame-pointer
-mllvm
-experimental-debug-variable-locations=0
-mllvm
-grow-region-complexity-budget=100
-mllvm
-disable-hoisting-to-hotter-blocks=all
-mllvm
-block-freq-ratio-threshold=3000000
-Xclang
-fexperimental-assignment-tracking=disabled"
runtime="-Xlinker
--whole-archive
-Xlinker
$tree/lib/darn/libdarn_rt.a
-Xlinker
--no-whole-archive
-Xlinker
--dynamic-list=$tree/lib/darn/darn_rt.syms
-lpthread
-ldl
-lrt"
compile_last="--start-no-unused-arguments
$frames
--end-no-unused-arguments"
link_last="--start-no-unused-arguments
$frames
$runtime
--end-no-unused-arguments"

lines() { printf '%s\n' "$@"; }

claim "a compilation gets the plugin, not the runtime"
try "$darn" cc -O2 -ggdb -c a.c -o a.o
expect_status 0
expect_same "$out" "$first
$(lines -O2 -ggdb -c a.c -o a.o)
$compile_last"
expect_same "$err" ""

claim "a program gets the runtime after its own inputs"
try "$darn" cc a.o b.c -lm -o a
expect_same "$out" "$first
$(lines a.o b.c -lm -o a)
$link_last"

claim "darn-cc is darn cc"
cp .out expected
try "$tree/bin/darn-cc" a.o b.c -lm -o a
expect_same "$out" "$(cat expected)"

claim "darn-c++ and darn c++ run clang++"
try "$tree/bin/darn-c++" -c a.cc
expect_same "${out%%$'\n'*}" "c++"
try "$darn" c++ -c a.cc
expect_same "${out%%$'\n'*}" "c++"

claim "a link to the command finds the parts, too"
ln -s "$tree/bin/darn-cc" elsewhere-cc
mkdir links && ln -s "$tree/bin/darn" links/darn-cc
try links/darn-cc -c a.c
expect_has "$out" "-fpass-plugin=$tree/lib/darn/darn_plugin.so"

claim "a program for production gets nothing that costs"
echo '{"darn-sections": 1, "sections": []}' >wanted
try "$darn" cc --only=wanted -O2 a.c -o a
expect_status 0
expect_same "$out" "$(grep -Ev "D__DARN__|record-command" <<<"$first")
$(lines -O2 a.c -o a)
--start-no-unused-arguments
${runtime/libdarn_rt.a/libdarn_heal_rt.a}
--end-no-unused-arguments"

claim "a shared object gets no runtime"
try "$darn" cc -shared -fPIC a.c -o a.so
expect_has "$out" "-fpass-plugin="
expect_lacks "$out" "libdarn_rt"
expect_lacks "$out" "unresolved"

claim "a shared object may lack the hooks, also when it may lack no symbol"
try "$darn" cc -shared -Wl,-z,defs a.o -o a.so
expect_has "$out" "-Xlinker
--unresolved-symbols=ignore-all"

claim "lto is turned off after the user turned it on"
try "$darn" cc -flto -c a.c
expect_has "$out" "-flto
-c
a.c
--start-no-unused-arguments
$frames
-fno-lto"

claim "what follows -- are inputs, ours go before it"
try "$darn" cc -o a -- -strange.c
expect_same "$out" "$first
$(lines -o a)
$link_last
--
-strange.c"

claim "arguments keep their spaces, quotes and emptiness"
try "$darn" cc -c '-DX="a b"' '' "it's.c"
expect_has "$out" '-DX="a b"

it'"'"'s.c'

claim "without an input clang gets exactly what the user wrote"
for question in --version -v -dumpmachine -dumpversion -print-multiarch -print-search-dirs --help; do
    try "$darn" cc $question
    expect_status 0
    expect_same "$out" "$question"
done
try "$darn" cc
expect_same "$out" ""
try "$darn" cc -cc1 -emit-obj a.c
expect_same "$out" "$(lines -cc1 -emit-obj a.c)"

claim "response files are looked into, and passed on as they are"
echo '-c "a.c"' >line
echo '@line' >outer
for name in line outer; do
    try "$darn" cc @$name
    expect_has "$out" "@$name"
    expect_lacks "$out" "libdarn_rt"
done
echo 'a.o -o "my program"' >line
try "$darn" cc @line
expect_has "$out" "@line
$link_last"
echo '-o a' >line
try "$darn" cc @line
expect_same "$out" "@line"
echo '@loop @loop' >loop
try "$darn" cc -c a.c @loop
expect_status 0
try "$darn" cc -c a.c @missing
expect_has "$out" "@missing"

claim "the exit status is clang's"
printf '#!/bin/sh\nexit 37\n' >stub-clang
try "$darn" cc -c a.c
expect_status 37

finish
