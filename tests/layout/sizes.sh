#!/bin/bash
# usage: sizes.sh ROOT — no file of src/ and tests/ is longer than one concept needs: 500 lines. A longer one is shown with its
# length. The check is tried on small trees first.
set -u
most=500

# Prints a line for each source, header or script of the tree that is too long. A script has a suffix, or may be executed.
too_long() {
    find "$1/src" "$1/tests" -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cc' -o -name '*.sh' -o -name '*.bash' \
        -o -name '*.pl' -o -name CMakeLists.txt -o -executable \) -exec wc -l {} + |
        awk -v most=$most '$2 != "total" && $1 > most { print $2 ": " $1 " lines" }' | LC_ALL=C sort
}

faults=0
fault() {
    echo "FAILED: $1" >&2
    faults=$((faults + 1))
}

# try_file EXPECTED NAME LINES [MODE]: a tree with one file.
try_file() {
    local shown

    rm -rf "${tree:?}"/*
    mkdir -p "$tree/src/a" "$tree/tests/b"
    seq "$3" >"$tree/$2"
    chmod "${4-644}" "$tree/$2"
    shown=$(too_long "$tree")
    [ "${shown#"$tree/"}" = "$1" ] || fault "planted: '$shown' instead of '$1'"
}

[ $# -eq 1 ] && [ -d "$1/src" ] || {
    echo "usage: sizes.sh ROOT" >&2
    exit 2
}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
try_file "" src/a/x.c 500
try_file "src/a/x.c: 501 lines" src/a/x.c 501
try_file "src/a/x.cpp: 501 lines" src/a/x.cpp 501
try_file "tests/b/x.h: 900 lines" tests/b/x.h 900
try_file "tests/b/run: 501 lines" tests/b/run 501 755
try_file "" tests/b/expected 501

shown=$(too_long "${1%/}")
[ -z "$shown" ] || fault "more than $most lines:
$shown"
[ "$faults" -eq 0 ]
