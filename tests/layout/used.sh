#!/bin/bash
# usage: used.sh SRC TESTS — a function that a header of SRC declares is called by another file than the one that defines it, or by an
# inline function: else it is static there, or nobody needs it. One that only its own file calls may be shown to a test; one
# that only tests call is dead. The check is tried on small trees first.
set -u

# In lines: KIND NAME, for each name of ours that stands outside of comments in a file of the tree, as often as it does. KIND is the
# file, or `declared` for a function in a header.
names_in() {
    find "$1" -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.inc' \) -exec awk '
        /^[[:space:]]*(\/\*|\*[ \/])/ { next }
        {
            if (FILENAME ~ /\.h$/ && /^[a-z]/ && !/^(static|typedef)/ && match($0, /[ *]darn_[a-z0-9_]+\(/))
                print "declared", substr($0, RSTART + 1, RLENGTH - 2)
            for (rest = $0; match(rest, /darn_[a-z0-9_]+/); rest = substr(rest, RSTART + RLENGTH))
                print FILENAME, substr(rest, RSTART, RLENGTH)
        }' {} +
}

# Tests cannot do without these: bytes that are a trace without a file, and how many cells memory was cut into. The third is called
# by code that the plugin makes, under another name.
kept=" darn_trace_open_memory darn_shadow_cells darn_module_init "

# Prints the functions that nobody needs where they are declared.
unused() {
    { names_in "$1" && names_in "$2" | sed 's/^[^ ]* /test /'; } | awk -v kept="$kept" '
        $1 == "declared" { declared[$2] = 1; next }
        $1 == "test" { tested[$2] = 1; next }
        { times[$2]++ }
        $1 ~ /\.h$/ { headers[$2]++ }
        !seen[$1, $2]++ && $1 !~ /\.h$/ { files[$2]++ }
        END {
            for (name in declared) {
                if (files[name] > 1 || headers[name] > 1 || index(kept, " " name " "))
                    continue
                if (times[name] <= 2)
                    print name (tested[name] ? ": only tests call it" : ": nobody calls it")
                else if (!tested[name])
                    print name ": only its own file calls it"
            }
        }' | LC_ALL=C sort
}

faults=0
fault() {
    echo "FAILED: $1" >&2
    faults=$((faults + 1))
}

# try_tree EXPECTED HEADER OWN OTHER TEST: four files with one text each.
try_tree() {
    local shown

    mkdir -p "$tree/src" "$tree/tests"
    printf '%b\n' "$2" >"$tree/src/a.h"
    printf '%b\n' "$3" >"$tree/src/a.c"
    printf '%b\n' "$4" >"$tree/src/b.c"
    printf '%b\n' "$5" >"$tree/tests/t.c"
    shown=$(unused "$tree/src" "$tree/tests")
    [ "$shown" = "$1" ] || fault "planted: '$shown' instead of '$1'"
}

[ $# -eq 2 ] && [ -d "$1" ] && [ -d "$2" ] || {
    echo "usage: used.sh SRC TESTS" >&2
    exit 2
}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
try_tree "" 'int darn_a(void);' 'int darn_a(void)' '    darn_a();' ''
try_tree "darn_a: nobody calls it" 'int darn_a(void);' 'int darn_a(void)' '/* darn_a() */' ''
try_tree "darn_a: only tests call it" 'int darn_a(void);' 'int darn_a(void)' '' 'darn_a();'
try_tree "darn_a: only its own file calls it" 'int darn_a(void);' 'int darn_a(void)\n    darn_a();' '' ''
try_tree "" 'int darn_a(void);' 'int darn_a(void)\n    darn_a();' '' 'darn_a();'
try_tree "" 'int darn_a(void);\nstatic int b(void) { darn_a(); }' 'int darn_a(void)' '' ''

shown=$(unused "${1%/}" "${2%/}")
[ -z "$shown" ] || fault "functions of headers that no other file calls:
$shown"
grep -rq --include='*.h' 'darn_' "$1" || fault "$1 is not the source of darn"
[ "$faults" -eq 0 ]
