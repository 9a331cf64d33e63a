# For how many programs with a bug darn fix finds a patch, and whether a patched program fails in many more schedules.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

# The program without its fixed twin, whose lines a patch could be made of.
without_twin() {
    awk '/^# *if/ { depth++; twin[depth] = /FIXED/; on[depth] = /ifndef/ }
         /^# *else/ && twin[depth] { on[depth] = !on[depth]; next }
         /^# *(if|endif)/ && twin[depth] { if (/endif/) depth--; next }
         { for (i = 1; i <= depth; i++) if (twin[i] && !on[i]) next; print }
         /^# *endif/ { depth-- }' "$1"
}

# fix_one NAME: a row of the table.
fix_one() {
    local name=$1 at=$fixed/$1 file=$root/tests/programs/explore/$1.c flags option kind summary more proof
    rm -rf "$at" && mkdir -p "$at" && without_twin "$file" >"$at/$name.c" || return 1
    flags=$(header build "$file" | head -1)
    # shellcheck disable=SC2086 # the flags are several words
    (cd "$at" && "${cc[darn]}" $flags -g -pthread "$name.c" -o "$name") >"$work/logs/build.fix.$name" 2>&1 || return 1
    # shellcheck disable=SC2046 # the options are several words
    "$build/bin/darn" hunt -o "$at/out" --seconds="$fix_hunt_seconds" $(header options "$file" | grep -o -e --early-timeouts) -- "$at/$name" \
        >"$work/logs/hunt.fix.$name" 2>&1
    if [ ! -d "$at/out/1" ]; then
        echo "| $name | – | nothing was confirmed in $fix_hunt_seconds s | | | | |"
        return 0
    fi
    kind=$(grep -o '"kind":"[^"]*"' "$at/out/1/finding.json" | head -1 | cut -d'"' -f4)
    if "$build/bin/darn" fix --apply --seconds="$fix_seconds" --limit="$fix_limit" "$at/out/1" \
        >"$at/patch" 2>"$work/logs/fix.$name"; then
        # shellcheck disable=SC2086
        (cd "$at" && "${cc[darn]}" $flags -g -pthread "$name.c" -o "$name") >>"$work/logs/build.fix.$name" 2>&1
        # shellcheck disable=SC2046
        "$build/bin/darn" explore --schedules="$fix_schedules" --seconds="$fix_more_seconds" $(header options "$file") \
            -- "$at/$name" >"$work/logs/explore.fix.$name" 2>&1
        option=$?
        more=$(sed -n 's/^darn explore: \([0-9]*\) schedules* in.*/\1/p' "$work/logs/explore.fix.$name")
        proof="$(sed -n 's/^proof:.* in \([0-9]*\) runs.*/\1 runs/p' "$at/patch" | head -1), $(sed -n 's/^proof:.*(\([0-9]* of [0-9]*\) switches.*/its schedule: \1 switches/p; s/^proof:.*could not be followed.*/its schedule: not followed/p' "$at/patch" | head -1)"
        echo "| $name | $kind | $(sed -n 's/^fix: //p' "$at/patch" | head -1) | $(sed '/^proof:/,$d' "$at/patch" | grep -c '^[-+]\([^-+]\|$\)') | $proof | ${more:-0} | $([ $option = 66 ] && echo yes || echo no) |"
    else
        summary=$(sed -n 's/^darn fix: \(.*candidate.*\)/\1/p' "$work/logs/fix.$name" | tail -1)
        echo "| $name | $kind | none: ${summary:-$(tail -1 "$work/logs/fix.$name")}; needed: $(sed -n 's/^darn fix: what would be needed: //p' "$work/logs/fix.$name" | sed "s|$at/||g; s|darn replay.*|darn replay --gdb|" | tail -1) | | | | |"
    fi
}

# shellcheck disable=SC2046 # names have no blanks
part_fix() {
    local name failed=0
    fixed=$work/fix
    mkdir -p "$fixed" || return 1
    fixed=$(cd "$fixed" && pwd)
    echo "| program | finding | patch | lines | proof | further schedules | one fails |"
    echo "|---|---|---|---:|---|---:|---|"
    [ ${#only[@]} -eq 0 ] || fix_every=1
    for name in $(chosen $(explore_names) | awk -v every="$fix_every" 'NR % every == 0'); do
        echo "fix of $name" >&2
        fix_one "$name" || failed=1
    done | tee "$work/fix.rows"
    awk -F'|' '$8 ~ /yes|no/ { fixes++; bad += $8 ~ /yes/ }
               $3 !~ /–/ { bugs++ }
               END { printf "\nOf %d bugs that a hunt confirmed, %d have a patch that passed everything; %d of the patched programs fail in further schedules.\n", bugs, fixes, bad }' "$work/fix.rows"
    return $failed
}

about_fix() {
    cat <<END
For $([ "$fix_every" = 1 ] && echo the || echo "one in $fix_every of the") programs of \`tests/programs/explore\`: a hunt of $fix_hunt_seconds s, then \`darn fix\` on its first finding (\`--seconds=$fix_seconds --limit=$fix_limit\`),
and if that has proved a patch, \`darn explore\` in the patched program with $fix_schedules schedules more ($fix_more_seconds s at most).
Lines are those that the patch adds or takes away. The proof: runs of hunts and explorations that did not fail, and how many switches of
the failing schedule the patched program still makes. A program may have a second bug, which a patch for the first leaves in.
END
}
