#!/bin/bash
# needs: compiler
# The programs in plugin/same do the same with darn as without, at every level of optimization: also
# when each access calls the runtime (noise that never strikes sees to that), so that every register
# that is alive at an access must have survived the hook.
. "$(dirname "$0")/plugin.bash"
words="-Wall -Wextra -Werror -lm -mcx16"

for source in "$sources"/same/*.c; do
    name=$(basename "$source" .c)
    for level in $levels; do
        claim "$name at $level"
        build clang-19 $level "$source" -o plain $words
        build "$bin/darn-cc" $level "$source" -o watched $words
        try ./plain
        expected="$status $out$err"
        [ -n "$out" ] || fault "it prints nothing"
        for options in "" "noise='random:0/0'"; do
            DARN_OPTIONS=$options try ./watched
            expect_same "$options $status $out$err" "$options $expected"
        done
    done
done

finish
