#!/bin/bash
# usage: types.sh SRC — a type has one definition in the whole of SRC, and so have a function and a macro; a header's name is that of no
# other, and is in its guard: who looks for a name finds the right one. The check is tried on small trees first.
set -u

# Prints a line for each type that is defined twice: its name, and where.
defined_twice() {
    grep -rnE --include='*.[ch]' --include='*.cpp' '^(struct|enum|union) darn_[a-z0-9_]+ \{' "$1" | LC_ALL=C sort |
        awk -F '[: ]' '{ where[$4] = where[$4] " " $1 ":" $2; count[$4]++ }
            END { for (name in count) if (count[name] > 1) print name ":" where[name] }' | LC_ALL=C sort
}

# The same for functions with our prefix. A declaration in a header may go on in the next line, but is not static. What stands
# in for others in production is meant to have their names.
functions_twice() {
    grep -rnE --include='*.[ch]' --include='*.cpp' '^[a-zA-Z][a-zA-Z0-9_ *]*[ *]darn_[a-z0-9_]+\(.*[^;]$' "$1" |
        grep -E '^[^:]*\.(c|cpp):|:[0-9]+:static ' | grep -vE '/production/|:[0-9]+:extern ' | LC_ALL=C sort |
        sed -E 's/^([^:]*:[0-9]+):.*[ *](darn_[a-z0-9_]+)\(.*/\2 \1/' |
        awk '{ where[$1] = where[$1] " " $2; count[$1]++ }
            END { for (name in count) if (count[name] > 1) print name ":" where[name] }' | LC_ALL=C sort
}

# The same for macros: two of one name in two files are one fact in two places, or two facts with one name.
macros_twice() {
    grep -rnoE --include='*.[ch]' '^#define DARN_[A-Z0-9_]+' "$1" | LC_ALL=C sort | sed -E 's/^([^:]*):([0-9]+):#define (.*)/\3 \1 \2/' |
        awk '$1 in first && first[$1] != $2 { print $1 ": " first[$1] " " $2 } !($1 in first) { first[$1] = $2 }'
}

# Prints the names that several headers have.
named_twice() {
    find "$1" -name '*.h' -printf '%f\n' | LC_ALL=C sort | uniq -d
}

# Prints the headers whose guard has not their name: a file that was renamed would keep the old word there.
other_guards() {
    find "$1" -name '*.h' -exec awk '
        FNR == 1 {
            name = FILENAME
            gsub(/^.*\/|\.h$/, "", name)
            want = toupper(name) "_H$"
        }
        /^#ifndef / {
            if ($2 !~ want)
                print FILENAME ": " $2
            nextfile
        }' {} + | LC_ALL=C sort
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
    shown=$(defined_twice "$tree" && functions_twice "$tree" && macros_twice "$tree")
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
try_tree "darn_a: a/x.h:1 b/y.c:1" 'static inline int darn_a(void)' 'struct darn_b *darn_a(int b)'
try_tree "DARN_A: a/x.h b/y.c" '#define DARN_A 1' '#define DARN_A(x) x'
try_tree "" '#define DARN_A 1' '#define DARN_B DARN_A'
try_tree "" 'int darn_a(void);' 'int darn_a(void)'
try_tree "" 'int darn_a(void)' '    int b = darn_a(c +'
[ -z "$(named_twice "$tree")" ] || fault "planted: other names are not the same"
printf '%s\n' '#ifndef DARN_A_Y_H' >"$tree/a/y.h"
[ -z "$(other_guards "$tree")" ] || fault "planted: a guard of the right name is shown"
printf '%s\n' '#ifndef DARN_A_OLD_H' >"$tree/a/y.h"
[ "$(other_guards "$tree")" = "$tree/a/y.h: DARN_A_OLD_H" ] || fault "planted: an old guard is not seen"
touch "$tree/b/x.h"
[ "$(named_twice "$tree")" = x.h ] || fault "planted: two headers of one name are not seen"

shown=$(defined_twice "${1%/}")
[ -z "$shown" ] || fault "types with two definitions:
$shown"
shown=$(functions_twice "${1%/}")
[ -z "$shown" ] || fault "functions with two definitions:
$shown"
shown=$(macros_twice "${1%/}")
[ -z "$shown" ] || fault "macros that two files define:
$shown"
shown=$(named_twice "$1")
[ -z "$shown" ] || fault "headers of one name:
$shown"
shown=$(other_guards "${1%/}")
[ -z "$shown" ] || fault "guards that have not the name of their header:
$shown"
grep -rq --include='*.h' '^struct darn_' "$1" || fault "$1 is not the source of darn"
[ "$faults" -eq 0 ]
