#!/bin/bash
# What `darn cc` hands to clang.
. "$(dirname "$0")/lib.bash"
make_stub_tree
darn=$tree/bin/darn

# run WORD...: what was handed over, with names for what differs: the line for `darn fix`, and the file with that of the linker.
run() {
    try "$@"
    out=$(sed -E 's,^darn 1\x1f.*,RECORD,; s,^/proc/self/fd/[0-9]+$,LINKED,' <<<"$out")
}

# The arguments between which the user's own stand.
first="--start-no-unused-arguments
-g
-fstandalone-debug
-fpass-plugin=$tree/lib/darn/darn_plugin.so
-Wno-error=reserved-user-defined-literal
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
record="-Xclang
-record-command-line
-Xclang
RECORD"
linked="-Xlinker
LINKED"
compile_last="--start-no-unused-arguments
$record
$frames
--end-no-unused-arguments"
link_last="--start-no-unused-arguments
$record
$linked
$frames
$runtime
--end-no-unused-arguments"

lines() { printf '%s\n' "$@"; }

claim "a compilation gets the plugin, not the runtime"
run "$darn" cc -O2 -ggdb -c a.c -o a.o
expect_status 0
expect_same "$out" "$first
$(lines -O2 -ggdb -c a.c -o a.o)
$compile_last"
expect_same "$err" ""

claim "a program gets the runtime after its own inputs"
run "$darn" cc a.o b.c -lm -o a
expect_same "$out" "$first
$(lines a.o b.c -lm -o a)
$link_last"

claim "darn-cc is darn cc"
expected=$out
run "$tree/bin/darn-cc" a.o b.c -lm -o a
expect_same "$out" "$expected"

claim "darn-c++ and darn c++ run clang++"
run "$tree/bin/darn-c++" -c a.cc
expect_same "${out%%$'\n'*}" "c++"
run "$darn" c++ -c a.cc
expect_same "${out%%$'\n'*}" "c++"

claim "a link to the command finds the parts, too"
ln -s "$tree/bin/darn-cc" elsewhere-cc
mkdir links && ln -s "$tree/bin/darn" links/darn-cc
run links/darn-cc -c a.c
expect_has "$out" "-fpass-plugin=$tree/lib/darn/darn_plugin.so"

claim "a program for production gets nothing that costs"
echo '{"darn-sections": 1, "sections": []}' >wanted
run "$darn" cc --only=wanted -O2 a.c -o a
expect_status 0
expect_same "$out" "$(grep -Ev "D__DARN__|record-command" <<<"$first")
$(lines -O2 a.c -o a)
--start-no-unused-arguments
${runtime/libdarn_rt.a/libdarn_heal_rt.a}
--end-no-unused-arguments"

claim "a shared object gets no runtime"
run "$darn" cc -shared -fPIC a.c -o a.so
expect_has "$out" "-fpass-plugin="
expect_lacks "$out" "libdarn_rt"
expect_lacks "$out" "unresolved"

claim "a shared object may lack the hooks, also when it may lack no symbol"
run "$darn" cc -shared -Wl,-z,defs a.o -o a.so
expect_has "$out" "-Xlinker
--unresolved-symbols=ignore-all"

claim "lto is turned off after the user turned it on"
run "$darn" cc -flto -c a.c
expect_has "$out" "-flto
-c
a.c
--start-no-unused-arguments
$record
$frames
-fno-lto"

claim "what follows -- are inputs, ours go before it"
run "$darn" cc -o a -- -strange.c
expect_same "$out" "$first
$(lines -o a)
$link_last
--
-strange.c"

claim "arguments keep their spaces, quotes and emptiness"
run "$darn" cc -c '-DX="a b"' '' "it's.c"
expect_has "$out" '-DX="a b"

it'"'"'s.c'

claim "without an input clang gets exactly what the user wrote"
for question in --version -v -dumpmachine -dumpversion -print-multiarch -print-search-dirs --help; do
    run "$darn" cc $question
    expect_status 0
    expect_same "$out" "$question"
done
run "$darn" cc
expect_same "$out" ""
run "$darn" cc -cc1 -emit-obj a.c
expect_same "$out" "$(lines -cc1 -emit-obj a.c)"

claim "response files are looked into, and passed on as they are"
echo '-c "a.c"' >line
echo '@line' >outer
for name in line outer; do
    run "$darn" cc @$name
    expect_has "$out" "@$name"
    expect_lacks "$out" "libdarn_rt"
done
echo 'a.o -o "my program"' >line
run "$darn" cc @line
expect_has "$out" "@line
$link_last"
echo '-o a' >line
run "$darn" cc @line
expect_same "$out" "@line"
echo '@loop @loop' >loop
run "$darn" cc -c a.c @loop
expect_status 0
run "$darn" cc -c a.c @missing
expect_has "$out" "@missing"

claim "an object and a program have the line that made them, with what a response file says and what darn is asked for"
echo '-DX="a b"' >line
try "$darn" cc --darn-functions @line -c "$PWD/a.c" -o b/a.o
expect_has "$out" "$(printf 'darn 1|%s|%s|%s|env|DARN_FUNCTIONS=1|%s|cc|-DX=a b|-c|%s|-o|b/a.o' "$PWD" "$PWD/b/a.o" "$PWD/a.c" "$darn" "$PWD/a.c" | tr '|' '\037')"
try "$darn" c++ a.o -o a
expect_has "$out" "$(printf 'darn 1|%s|||env|%s|c++|a.o|-o|a' "$PWD" "$darn" | tr '|' '\037')"

claim "the exit status is clang's"
printf '#!/bin/sh\nexit 37\n' >stub-clang
run "$darn" cc -c a.c
expect_status 37

finish
