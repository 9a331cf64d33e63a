#!/bin/bash
# needs: compiler
# more: all levels of optimization
# The programs in plugin/same do the same with darn as without, at every level of optimization: also
# when each access calls the runtime (noise that never strikes sees to that), so that every register
# that is alive at an access must have survived the hook. The same for a program that is built to be
# healed, with the hook behind each access, too.
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
        healed="$status $out"
        [ -n "$out" ] || fault "it prints nothing"
        for options in "" "noise='random:0/0'"; do
            DARN_OPTIONS=$options try ./watched
            expect_same "$options $status $out$err" "$options $expected"
        done
        everything watched >wanted
        build "$bin/darn-cc" --only=wanted $level "$source" -o healed $words
        for options in "" "heal=wanted"; do
            DARN_OPTIONS=$options try ./healed
            expect_same "$options $status $out" "$options $healed"
        done
    done
done

finish
