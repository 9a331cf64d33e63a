#!/bin/bash
# usage: json.sh SRC — base/json.c is the only one that writes JSON: nobody has jansson write, and no string of the source is
# a key with its colon, but for the few that look for one or talk about it. The check is tried on planted faults first.
set -u

# What a report says, and what counts.c looks for.
allowed='report/raw.c|report/counts.c|section/repository.c'

written_elsewhere() {
    grep -rnE --include='*.[ch]' 'json_dump|\\"[a-z_-]+\\":' "$1" | sed "s|^$1/||" | grep -vE "^($allowed):" | LC_ALL=C sort
}

[ $# -eq 1 ] && [ -d "$1" ] || {
    echo "usage: json.sh SRC" >&2
    exit 2
}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/report"
printf '%s\n' 'json_dumps(object, 0);' >"$tree/report/a.c"
printf '%s\n' 'fputs(",\"count\": 1", out);' >"$tree/report/b.c"
printf '%s\n' '#define KEY "\"count\":"' 'json_loads(text, 0, NULL);' >"$tree/report/counts.c"
[ "$(written_elsewhere "$tree" | cut -d: -f1 | tr '\n' ' ')" = 'report/a.c report/b.c ' ] || {
    echo "FAILED: planted faults are not found, or others are" >&2
    exit 1
}
shown=$(written_elsewhere "$1")
[ -z "$shown" ] || {
    printf 'FAILED: JSON that base/json.h does not write:\n%s\n' "$shown" >&2
    exit 1
}
