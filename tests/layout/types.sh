#!/bin/bash
# usage: types.sh SRC — a type has one definition in the whole of SRC: who looks for its name finds the right one. The check is
# tried on small trees first.
set -u

# Prints a line for each type that is defined twice: its name, and where.
defined_twice() {
    grep -rnE --include='*.[ch]' --include='*.cpp' '^(struct|enum|union) darn_[a-z0-9_]+ \{' "$1" | LC_ALL=C sort |
        awk -F '[: ]' '{ where[$4] = where[$4] " " $1 ":" $2; count[$4]++ }
            END { for (name in count) if (count[name] > 1) print name ":" where[name] }' | LC_ALL=C sort
}

faults=0
fault() {
    echo "FAILED: $1" >&2
    faults=$((faults + 1))
}

# try_tree EXPECTED LINE LINE: two files with one line each.
try_tree() {
    local shown

    mkdir -p "$tree/a" "$tree/b"
    printf '%s\n' "$2" >"$tree/a/x.h"
    printf '%s\n' "$3" >"$tree/b/y.c"
    shown=$(defined_twice "$tree")
    [ "${shown//"$tree/"/}" = "$1" ] || fault "planted: '$shown' instead of '$1'"
}

[ $# -eq 1 ] && [ -d "$1" ] || {
    echo "usage: types.sh SRC" >&2
    exit 2
}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
try_tree "darn_a: a/x.h:1 b/y.c:1" 'struct darn_a {' 'enum darn_a {'
try_tree "" 'struct darn_a {' 'struct darn_a;'
try_tree "" 'struct darn_a {' 'struct darn_b {'

shown=$(defined_twice "${1%/}")
[ -z "$shown" ] || fault "types with two definitions:
$shown"
grep -rq --include='*.h' '^struct darn_' "$1" || fault "$1 is not the source of darn"
[ "$faults" -eq 0 ]
