#!/bin/bash
# usage: kept.sh ROOT — what git keeps is what somebody wrote: nothing lies beside the folders of the project, and nothing is a
# binary but the pictures of docs/. What a test or a hunt leaves behind is shown by its name. Outside of a checkout nothing is kept.
# The check is tried on a small tree first.
set -u
known='^(src|tests|docs|bench|scripts|include|examples|cmake|\.ci)/|^(README\.md|CHANGELOG\.md|LICENSE|Makefile|CMakeLists\.txt|\.clang-format|\.gitignore)$'

strangers() {
    git -C "$1" ls-files | grep -vE "$known"
    # git takes what has a NUL byte for a binary, and counts no lines of it.
    git -C "$1" diff --numstat "$(git -C "$1" hash-object -t tree /dev/null)" HEAD |
        awk -F '\t' '$1 == "-" && $3 !~ /^docs\/.*\.png$/ { print $3 ": a binary" }'
}

faults=0
fault() {
    echo "FAILED: $1" >&2
    faults=$((faults + 1))
}

# try_file EXPECTED NAME TEXT: a tree with one file.
try_file() {
    local shown

    rm -rf "$tree" && git init -q "$tree" && mkdir -p "$tree/$(dirname "$2")" && printf "$3" >"$tree/$2" &&
        git -C "$tree" add -f . && git -C "$tree" -c user.name=x -c user.email=x@example.org commit -qm x || exit 2
    shown=$(strangers "$tree")
    [ "$shown" = "$1" ] || fault "planted: '$shown' instead of '$1'"
}

[ $# -eq 1 ] && [ -d "$1/src" ] || {
    echo "usage: kept.sh ROOT" >&2
    exit 2
}
git -C "$1" rev-parse -q --verify HEAD >/dev/null 2>&1 || {
    echo "kept.sh: $1 is no checkout of git: nothing to look at"
    exit 0
}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
try_file "" src/a.c 'int a;\n'
try_file "" docs/page.png '\0'
try_file "trace" trace 'text\n'
try_file "src/a.o: a binary" src/a.o '\0'

shown=$(strangers "$1")
[ -z "$shown" ] || fault "kept, but written by nobody:
$shown"
[ "$faults" -eq 0 ]
