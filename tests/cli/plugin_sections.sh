#!/bin/bash
# needs: compiler
# more: all levels of optimization
# The programs in plugin/sections say which sections are found in them, in comments that begin a
# line, in the form of tests/tools/sections:
#
#     section: KIND FUNCTION VARIABLE entry=LINE:OP ...    there is such a section
#     may: FUNCTION                                        there may be others in the function
#     none: FUNCTION                                       the function has no section
#
# A line "+N" is the Nth behind the comment; "_" instead of a line, an operation or a list fits
# everything. "section at -O0: ..." speaks of these levels only. A function with such comments has
# no other sections, unless one of them is "may".
. "$(dirname "$0")/plugin.bash"
export PATH=$bin:$PATH
does_all && levels="-O0 -O1 -O2"

sections() { "$bin/../tests/tools/sections" "$1"; }

# Prints what is wrong with the sections on the standard input, given the source and the level.
judge() {
    awk -v level="$2" '
        function fits(pattern, line,    p, l, i, m, n, a, b, j, k) {
            m = split(pattern, p, " ")
            n = split(line, l, " ")
            if (m != n)
                return 0
            for (i = 1; i <= m; i++) {
                if (p[i] ~ /=_$/ && substr(p[i], 1, length(p[i]) - 1) == substr(l[i], 1, length(p[i]) - 1))
                    continue
                j = split(p[i], a, /[:=,]/)
                k = split(l[i], b, /[:=,]/)
                if (j != k)
                    return 0
                for (; j > 0; j--)
                    if (a[j] != "_" && a[j] != b[j])
                        return 0
            }
            return 1
        }
        function resolved(text, at,    out) {
            out = ""
            while (match(text, /\+[0-9]+/)) {
                out = out substr(text, 1, RSTART - 1) (at + substr(text, RSTART + 1, RLENGTH - 1))
                text = substr(text, RSTART + RLENGTH)
            }
            return out text
        }
        FILENAME != "-" && match($0, /^ *\/[*\/] (section|may|none)( at [^:]*)?: /) {
            directive = substr($0, RSTART, RLENGTH)
            line = substr($0, RSTART + RLENGTH)
            sub(/^ *\/[*\/] /, "", directive)
            sub(/ *\*\/ *$/, "", line)
            if (directive ~ / at / && index(directive " ", level) == 0)
                next
            sub(/( at .*)?: $/, "", directive)
            kind[++expected] = directive
            pattern[expected] = resolved(line, FNR)
            next
        }
        FILENAME == "-" { section[++count] = $0 }
        END {
            for (i = 1; i <= expected; i++) {
                split(pattern[i], words, " ")
                judged[words[kind[i] == "section" ? 2 : 1]] = 1
                if (kind[i] == "may")
                    open[words[1]] = 1
                if (kind[i] != "section")
                    continue
                seen = 0
                for (j = 1; j <= count; j++)
                    if (fits(pattern[i], section[j])) {
                        seen++
                        known[j] = 1
                    }
                if (seen != 1)
                    print (seen ? "more than once: " : "missing: ") pattern[i]
            }
            for (j = 1; j <= count; j++) {
                split(section[j], words, " ")
                if (section[j] ~ /[?]/)
                    print "a point without a site: " section[j]
                if (!known[j] && words[2] in judged && !(words[2] in open))
                    print "unexpected: " section[j]
            }
            if (!expected)
                print "the source expects nothing"
        }' "$1" -
}

claim "the judge finds what is missing, unexpected, or there twice"
cat >judged.c <<'END_OF_SOURCE'
/* section: pair f x entry=+1:read end=+2:_:read leave=_ */
/* section at -O1: pair f y entry=1:read end=2:read:read */
/* none: g */
/* may: h */
END_OF_SOURCE
verdict() { printf '%s\n' "$@" | judge judged.c -O0; }
good="pair f x entry=2:read end=3:write:read leave=7,8"
expect_same "$(verdict "$good" "pair h z entry=1:read end=1:read:read")" ""
expect_same "$(verdict "$good" "$good")" "more than once: pair f x entry=2:read end=3:_:read leave=_"
expect_same "$(verdict "pair f x entry=2:read end=3:write:read")" \
    "missing: pair f x entry=2:read end=3:_:read leave=_
unexpected: pair f x entry=2:read end=3:write:read"
expect_same "$(verdict "$good" "pair g z entry=1:read end=1:read:read")" \
    "unexpected: pair g z entry=1:read end=1:read:read"
expect_same "$(verdict "${good/3:write/3?:write}")" \
    "missing: pair f x entry=2:read end=3:_:read leave=_
a point without a site: ${good/3:write/3?:write}
unexpected: ${good/3:write/3?:write}"

for source in "$sources"/sections/*; do
    claim "the sections of $(basename "$source")"
    for level in $levels; do
        build $(compiler_of "$source") -w $level -c "$source" -o object.o
        sections object.o >listed || fault "the records cannot be read"
        verdict=$(judge "$source" $level <listed)
        [ -z "$verdict" ] || fault "at $level
$verdict"
    done
done

claim "they can be left out"
build darn-cc -O1 --darn-no-sections -c "$sources/sections/patterns.c" -o object.o
expect_same "$(sections object.o)" ""
expect_lacks "$(nm object.o)" darn_hook_leave
expect_lacks "$(nm object.o)" darn_look_leave
build env DARN_SECTIONS=0 darn-cc -O1 -c "$sources/sections/patterns.c" -o object.o
expect_same "$(sections object.o)" ""

cat >one.c <<'END_OF_SOURCE'
int total, kept;
void unused(void) { kept += 1; }
void add(void) { total += 1; }
int get(void) { return total; }
END_OF_SOURCE
cat >two.c <<'END_OF_SOURCE'
#include <stdio.h>
void add(void);
int get(void);
int main(void) { add(); printf("%d\n", get()); return 0; }
END_OF_SOURCE
wanted="load-and-store add total entry=3:read end=3:write:read"

claim "they are there after linking, however it is done, and need no relocation"
build darn-cc -O1 -fPIC -ffunction-sections -fdata-sections -c one.c -o one.o
build darn-cc -O1 -c two.c -o two.o
build ld -r one.o two.o -o both.o
for linker in bfd lld; do
    [ $linker = bfd ] || [ -n "$(command -v ld.$linker)" ] || continue
    for words in "one.o two.o" "one.o two.o -Wl,--gc-sections" "both.o" "-no-pie one.o two.o" \
        "-O2 -flto one.c two.c"; do
        build darn-cc -fuse-ld=$linker $words -o program
        expect_has "$linker $words: $(sections program)" "$wanted"
        try ./program
        expect_same "$linker $words: $status $out" "$linker $words: 0 1"
    done
    build darn-cc -fuse-ld=$linker -shared -Wl,-z,text -Wl,--gc-sections one.o -o libone.so
    expect_has "$linker $(sections libone.so)" "$wanted"
    expect_lacks "$(readelf -d libone.so)" TEXTREL
    build darn-cc -fuse-ld=$linker two.o ./libone.so -o program
    expect_same "$linker $(sections program)" "$linker "
    try ./program
    expect_same "$linker $status $out" "$linker 0 1"
done

claim "a file and a program without sections link"
echo 'int x; int main(void) { return x; }' >few.c
for words in "" -no-pie "-O2 -Wl,--gc-sections"; do
    build darn-cc $words few.c -o program
    expect_same "$(sections program)" ""
    try ./program
    expect_status 0
done

claim "an inline function of two files has its section once"
cat >part.h <<'END_OF_SOURCE'
extern int shared;
inline int bump() { return ++shared; }
END_OF_SOURCE
printf '#include "part.h"\nint shared;\nint other();\nint main() { return bump() + other() - 3; }\n' >a.cc
printf '#include "part.h"\nint other() { return bump(); }\n' >b.cc
build darn-c++ -O0 a.cc b.cc -o program
expect_same "$(sections program)" "load-and-store bump shared entry=2:read end=2:write:read"
build darn-c++ -O2 a.cc b.cc -o program
expect_has "$(sections program)" "load-and-store bump shared entry=2:read end=2:write:read"
try ./program
expect_status 0

claim "what only sections need is told apart"
build darn-cc -O1 -c one.c -o object.o
expect_has "$("$bin/../tests/tools/sites" object.o)" "one.c:3:24 add read extra 4 total"
expect_has "$("$bin/../tests/tools/sites" object.o)" "add write value,covers 4 total"

claim "an entry and its end share a guard, and ways out stand behind it"
echo 'int x, y; void f(void) { y = 1; x += 1; }' >guards.c
# The bytes of guards stand behind the 16 armed bytes of their sites.
look='darn\.armed\+(1[6-9]|2[0-9]|3[01])\(%rip\)'
# What the way without calls looks at, in its order: bytes of guards, and variables.
looks() {
    awk '/^f:/ { on = 1 } /retq/ { on = 0 } on' guards.s | grep -oE "$look|attention|armed|\<[xy]\(" | sed -E "s/$look/look/" | tr '\n' ' '
}
build darn-cc -O1 --darn-no-sections -S guards.c -o guards.s
expect_same "$(looks)" "look y( x( "
build darn-cc -O1 -S guards.c -o guards.s
expect_same "$(looks)" "look y( x( "
expect_has "$(cat guards.s)" "darn.armed"
echo 'int x; void f(int n) { if (x) x = n; }' >guards.c
build darn-cc -O1 -S guards.c -o guards.s
expect_same "$(looks)" "look x( x( "
expect_has "$(cat guards.s)" darn_look_leave

claim "a group goes on where a block can only be reached through it, and not around a loop"
echo 'int x, y, z; void f(int n, int *p) { x = 1; if (n) y = 2; else *p = 3; z = 4; }' >guards.c
build darn-cc -O1 --darn-no-sections -S guards.c -o guards.s
expect_same "$(grep -cE "$look" guards.s)" 1
echo 'void g(void); int x, y; void f(int n) { x = 1; if (n) g(); y = 2; }' >guards.c
build darn-cc -O1 --darn-no-sections -S guards.c -o guards.s
expect_same "$(grep -cE "$look" guards.s)" 2
echo 'int x, y; void f(int *p) { x = 1; do y += *p; while (*++p); }' >guards.c
build darn-cc -O1 --darn-no-sections -S guards.c -o guards.s
expect_same "$(grep -cE "$look" guards.s)" 2

claim "a function that is annotated as atomic tells its beginning and its ends"
cat >atomic.c <<'END_OF_SOURCE'
#include <darn.h>
int x, y;
DARN_ATOMIC_FUNCTION int both(int n) { if (n) return x; y = 1; return 2; }
DARN_ATOMIC_FUNCTION static void never(void) { x = 2; }
int neither(void) { never(); return y; }
END_OF_SOURCE
for level in $levels; do
    build darn-cc $level -S atomic.c -o atomic.s
    begins=$(grep -c 'darn_hook_atomic_begin@' atomic.s)
    ends=$(grep -c 'darn_hook_atomic_end@' atomic.s)
    expect_same "$level $begins" "$level 2"
    [ "$ends" -ge 2 ] || fault "$level: $ends ends are told"
    expect_has "$level $(awk '/^both:/,/cfi_endproc/' atomic.s)" darn_hook_atomic_begin
    expect_lacks "$level $(awk '/^neither:/,/cfi_endproc/' atomic.s)" darn_hook_atomic
done

finish
