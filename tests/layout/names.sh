#!/bin/bash
# usage: names.sh ROOT LIB CLANG — the runtime lives in other people's programs: every name that its
# archive and its shared object show has the prefix darn_ or is that of an intercepted function or
# an annotation, and every hidden global name has the prefix too. The functions that may be shown
# are read from the sources: those that DARN_INTERCEPT defines, and the API of annotate.c. The check
# is tried on an archive with planted names first.
set -u
root=$1
lib=$2
clang=$3
faults=0

fault() {
    echo "FAILED: $1" >&2
    faults=$((faults + 1))
}

preprocessed() { "$clang" -E -P -I "$root/src" -I "$root/include" "$1" | tr '\n' ' '; }

# DARN_INTERCEPT declares a pointer real_NAME besides the function NAME.
intercepted() {
    local source

    for source in $(grep -lE 'DARN_INTERCEPT' "$root"/src/runtime/*.c "$root"/src/runtime/*/*.c); do
        preprocessed "$source" | grep -oE '\(\*real_[A-Za-z0-9_]+\)' | sed 's/(\*real_//; s/)//'
    done | LC_ALL=C sort -u
}

annotations() {
    preprocessed "$root/src/runtime/watch/annotate.c" |
        grep -oE '__attribute__\(\(weak, visibility\("default"\)\)\)[A-Za-z_ *]+ \*?[A-Za-z0-9_]+\(' |
        sed 's/($//; s/.*[ *]//' | LC_ALL=C sort -u
}

# shown FILE [readelf option]: defined names that other modules or objects can use. readelf tells the
# visibility, nm does not.
shown() {
    readelf -W "${2:---syms}" "$1" |
        awk '($5 == "GLOBAL" || $5 == "WEAK") && $6 != "HIDDEN" && $6 != "INTERNAL" && $7 != "UND" && $8 != "" {
            sub(/@.*/, "", $8)
            print $8
        }' | LC_ALL=C sort -u
}

all_globals() { nm --defined-only --extern-only "$1" 2>/dev/null | awk 'NF == 3 { print $3 }' | LC_ALL=C sort -u; }

# Those of the names on the standard input that must not be there. DW.ref. is the compiler's, for code that an exception
# may pass through.
strangers() { grep -v '^darn_\|^__interceptor_\|^DW\.ref\.' | LC_ALL=C comm -23 - "$work/allowed"; }

expect_none() { [ -z "$2" ] || fault "$1: $(echo $2)"; }

expect_same() { [ "$2" = "$3" ] || fault "$1: '$(echo $2)' instead of '$3'"; }

try_planted() {
    cat >planted.c <<'END'
#define HIDDEN __attribute__((visibility("hidden")))
void stray_function(void) {}
int stray_variable = 1;
__attribute__((weak)) void stray_weak(void) {}
HIDDEN void stray_hidden(void) {}
HIDDEN void darn_hidden(void) {}
void darn_shown(void) {}
void pthread_mutex_lock(void) {}
static void unseen(void) {}
void (*darn_pointer)(void) = unseen;
END
    "$clang" -w -c -fPIC planted.c && ar rcs planted.a planted.o &&
        "$clang" -shared -nostdlib planted.o -o planted.so || fault "cannot build the planted archive"
    expect_same "planted in an archive" "$(shown planted.a | strangers | tr '\n' ' ')" \
        "stray_function stray_variable stray_weak "
    expect_same "planted in a shared object" "$(shown planted.so --dyn-syms | strangers | tr '\n' ' ')" \
        "stray_function stray_variable stray_weak "
    expect_same "planted and hidden" "$(all_globals planted.a | strangers | tr '\n' ' ')" \
        "stray_function stray_hidden stray_variable stray_weak "
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
intercepted >intercepted
annotations | grep -v '^darn_' >annotations
LC_ALL=C sort -u intercepted annotations >allowed
for name in pthread_create malloc nanosleep AnnotateBenignRace __tsan_acquire; do
    grep -qx "$name" allowed || fault "'$name' was not found in the sources: this check reads them wrongly"
done
grep -qx getppid allowed && fault "'getppid' is not intercepted, but was found"
try_planted

expect_none "names without prefix in libdarn_rt.a" "$(shown "$lib/libdarn_rt.a" | strangers)"
expect_none "names without prefix in libdarn_rt.so" "$(shown "$lib/libdarn_rt.so" --dyn-syms | strangers)"
expect_none "hidden names without prefix in libdarn_rt.a" "$(all_globals "$lib/libdarn_rt.a" | strangers)"

# The other way round: an interceptor that nobody can see intercepts nothing.
expect_none "not to be seen in libdarn_rt.a" "$(shown "$lib/libdarn_rt.a" | LC_ALL=C comm -13 - allowed)"
expect_none "not to be seen in libdarn_rt.so" \
    "$(shown "$lib/libdarn_rt.so" --dyn-syms | LC_ALL=C comm -13 - allowed)"
[ "$faults" -eq 0 ]
