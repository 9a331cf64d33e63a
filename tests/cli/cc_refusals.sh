#!/bin/bash
# Wrong use of the compiler driver: one line, status 2, and clang is not started.
. "$(dirname "$0")/lib.bash"
make_stub_tree
darn=$tree/bin/darn

claim "static programs are refused, static objects are not"
for word in -static --static -static-pie; do
    try "$darn" cc $word a.c -o a
    expect_refused "darn cc: $word: a program must be linked dynamically to be watched; leave it out"
    try "$darn" cc $word -c a.c
    expect_status 0
done
echo '-static' >line
try "$darn" c++ @line a.cc
expect_refused "darn c++: -static: a program must be linked dynamically to be watched; leave it out"

claim "thread sanitizer is refused"
try "$darn" cc -fsanitize=undefined,thread -c a.c
expect_refused "darn cc: -fsanitize=thread and darn exclude each other; leave one of them out"

claim "32-bit programs are refused"
try "$darn" cc -m32 a.c
expect_refused "darn cc: -m32: the runtime is there for 64-bit programs only"

claim "own options are checked"
try "$darn" cc --darn-frobnicate -c a.c
expect_refused "darn cc: there is no option --darn-frobnicate; 'darn cc --darn-help' lists them"
try "$darn" cc --darn-ignorelist -c a.c
expect_refused "darn cc: --darn-ignorelist needs a value: --darn-ignorelist=FILE"
try "$darn" cc --darn-help=1
expect_refused "darn cc: --darn-help takes no value"

claim "a profile is checked before clang is started"
try "$darn" cc --profile=missing -c a.c
expect_refused "darn cc: missing: No such file or directory"
printf 'darn profile 1\nshared 1\n\nshares 2\n' >profile
try "$darn" cc --darn-profile=profile -c a.c
expect_refused "darn cc: profile:4: this is no line of a profile"
DARN_PROFILE=profile try "$darn" c++ -c a.cc
expect_refused "darn c++: profile:4: this is no line of a profile"

claim "an ignore list is checked before clang is started"
try "$darn" cc --darn-ignorelist=missing -c a.c
expect_refused "darn cc: missing: No such file or directory"
try "$darn" cc --darn-ignorelist=. -c a.c
expect_refused "darn cc: .: Is a directory"
printf '# fine\nfun:main\n\ncount_*\n' >list
try "$darn" cc --darn-ignorelist=list -c a.c
expect_refused "darn cc: list:4: expected fun:PATTERN or src:PATTERN"
printf 'fun:\n' >list
try "$darn" cc --darn-ignorelist=list -c a.c
expect_refused "darn cc: list:1: the pattern is missing"
printf '[thread\n' >list
try env DARN_IGNORELIST=list "$darn" cc -c a.c
expect_refused "darn cc: list:1: the section's name is not closed by ]"

claim "a repository is checked before clang is started"
try "$darn" cc --only -c a.c
expect_refused "darn cc: --only needs a value: --only=FILE[,FILE]..."
try "$darn" c++ --only=missing -c a.cc
expect_refused "darn c++: missing: cannot be read: No such file or directory"
try "$darn" cc --only=. -c a.c
expect_refused "darn cc: .: cannot be read: Is a directory"
try "$darn" cc --only=- -c a.c
expect_refused "darn cc: $PWD/-: cannot be read: No such file or directory"
echo 'int main(void) { return 0; }' >no-repository
for word in --only= --darn-only=; do
    try "$darn" cc ${word}no-repository -c a.c
    expect_status 2
    expect_same "$out" ""
    expect_same "$err" "no-repository:1:1: error: this is no repository of sections: it has to begin with {\"darn-sections\": 1
darn cc: no-repository: nothing of it can be used"
done

claim "what is wrong in a repository is said, and the rest is used"
cat >partly <<'END_OF_REPOSITORY'
{"darn-sections": 1,
 "sections": [
  "a.c:1-2 x allow=reads",
  "a.c:3-4 x"
 ]}
END_OF_REPOSITORY
try "$darn" cc --only=partly -c a.c
expect_status 0
expect_has "$out" "-fpass-plugin="
expect_has "$err" "partly:3:"

claim "a good repository reaches the plugin with its absolute path, and clang does not see the option"
printf '#!/bin/sh\necho "$DARN_ONLY"; printf "%%s\\n" "$@"\n' >stub-clang
echo '{"darn-sections": 1, "sections": []}' >empty-one
for word in --only=empty-one --darn-only=./empty-one; do
    try "$darn" cc $word -c a.c
    expect_status 0
    expect_same "${out%%$'\n'*}" "$PWD/empty-one"
    expect_lacks "$out" "only="
done
try env DARN_ONLY=empty-one "$darn" cc -c a.c
expect_same "${out%%$'\n'*}" "$PWD/empty-one"
try "$darn" cc -c -- --only=a.c
expect_has "$out" "--only=a.c"

claim "a good ignore list reaches the plugin with its absolute path, and clang does not see the option"
printf '#!/bin/sh\necho "$DARN_IGNORELIST"; printf "%%s\\n" "$@"\n' >stub-clang
printf '# comment\n\nfun:count_*\nsrc:*/third_party/*\n[*]\nfun:a\n' >list
try "$darn" cc --darn-ignorelist=list -c a.c
expect_status 0
expect_has "$out" "$PWD/list"
expect_lacks "$out" "--darn"
try env DARN_IGNORELIST=list "$darn" cc -c a.c
expect_has "$out" "$PWD/list"

claim "a missing clang is said, with what to install"
mkdir empty
DARN_CLANG=/nowhere/clang try "$darn" cc -c a.c
expect_refused "darn cc: DARN_CLANG=/nowhere/clang cannot be executed"
# Hides Debian's place for it, where the system allows that.
if unshare -rm true 2>/dev/null; then
    try env -u DARN_CLANG PATH="$PWD/empty" "$(command -v unshare)" -rm /bin/sh -c \
        '/bin/mount -t tmpfs none /usr/lib/llvm-19 && exec "$0" cc -c a.c' "$darn"
    expect_refused "darn cc: clang 19 was not found; install the package clang-19, or set DARN_CLANG to its path"
fi

claim "a part of darn that is missing is named"
rm "$tree/lib/darn/libdarn_rt.a"
try "$darn" cc -c a.c
expect_status 0
try "$darn" cc a.c
expect_refused "darn cc: $tree/lib/darn/libdarn_rt.a: No such file or directory; this part of darn has to be installed"
rm "$tree/lib/darn/darn_plugin.so"
try "$darn" cc -c a.c
expect_refused "darn cc: $tree/lib/darn/darn_plugin.so: No such file or directory; this part of darn has to be installed"

finish
