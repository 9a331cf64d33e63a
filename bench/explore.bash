# Controlled runs: how many schedules a second, and which programs they are tried on.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

# shellcheck disable=SC2034 # for explore_bugs.bash
strategies=(portfolio random pct pos surw chess rff hold)

explore_names() {
    basename -a -s .c "$root"/tests/programs/explore/*.c
}

# header KEY FILE: the values of the lines ` * KEY: value` of the first comment.
header() {
    sed -n "1,/\*\//s/^ \* $1: *//p" "$2"
}

# label NAME FLAGS: as the literature calls its programs: reorder_100 is reorder with -DN=100.
label() {
    local name=$1 flag
    for flag in $2; do
        case $flag in
        -D*=*) name+=_${flag#*=} ;;
        -D*) name+=_$(tr '[:upper:]' '[:lower:]' <<<"${flag#-D}") ;;
        esac
    done
    echo "$name"
}

# One line for each program and variant: LABEL NAME FIXED FLAGS|OPTIONS. FIXED says whether it has a fixed twin.
# shellcheck disable=SC2046 # names have no blanks
subjects() {
    local name source flags
    for name in $(chosen $(explore_names)); do
        source=$root/tests/programs/explore/$name.c
        header build "$source" | while read -r flags; do
            echo "$(label "$name" "$flags") $name $(header fixed "$source") $flags|$(header options "$source")"
        done
    done
}

# What a build of the programs depends on.
subjects_key() {
    cat "$build/bin/darn" "$build"/lib/darn/* "$root"/tests/programs/explore/*.c "$here"/explore/*.c | sha256sum
}

# Lines of: OUTPUT FLAGS... SOURCE, what `darn cc` is to be called with.
subjects_to_build() {
    local label name fixed rest source
    while read -r label name fixed rest; do
        source=$root/tests/programs/explore/$name.c
        echo "$explored/$label ${rest%|*} $source"
        [ "$fixed" != yes ] || echo "$explored/$label.fixed ${rest%|*} -DFIXED $source"
    done
    echo "$explored/points -O1 $here/explore/points.c"
}

# Builds all of them, twins too, unless they are there already and nothing has changed since.
build_subjects() {
    local key
    key=$(subjects_key)
    if [ "$(cat "$explored/key" 2>/dev/null)" != "$key" ]; then
        rm -rf "$explored"
    fi
    mkdir -p "$explored" || return 1
    while read -r output arguments; do
        [ -x "$output" ] || echo "-o $output $arguments"
    done < <(subjects | subjects_to_build) |
        xargs -r -L 1 -P "$(nproc)" "${cc[darn]}" -g -pthread >"$work/logs/explore.build" 2>&1 || {
        tail -5 "$work/logs/explore.build" >&2
        complain "the programs of tests/programs/explore do not build; see $work/logs/explore.build"
        return 1
    }
    clang-19 -std=gnu11 -O2 -g -Wall -Wextra -pthread "$here/explore/bare.c" -o "$explored/bare" || return 1
    echo "$key" >"$explored/key"
}

# trial_lines STRATEGY SEEDS SCHEDULES SECONDS [SUFFIX]: what explore/trials is to be called with, besides the darn
# command, for each subject on stdin; with a suffix, for its fixed twin.
trial_lines() {
    local label fixed rest suffix=${5-}
    while read -r label _ fixed rest; do
        [ -n "$suffix" ] && [ "$fixed" != yes ] && continue
        echo "$2 $3 $4 $1 $label $explored/$label$suffix ${rest#*|}"
    done
}

# The lines of stdin, on all cores at once. (To xargs, a blank at the end says that the line goes on.)
run_trials() {
    sed 's/ *$//' | xargs -r -L 1 -P "$(nproc)" --process-slot-var=CORE "$here/explore/trials" "$build/bin/darn"
}

# schedules_per_second JOBS STRATEGY: and steps of a run; the median of some runs by speed.
schedules_per_second() {
    local round
    for ((round = 1; round <= 3; round++)); do
        "$build/bin/darn" explore --json --jobs="$1" --strategy="$2" --schedules="$speed_schedules" -- \
            "$explored/points" 2>/dev/null | awk -F'[,:]' '
            {
                for (i = 1; i < NF; i++)
                    if ($i ~ /^"(schedules|schedules_per_second|steps)"$/)
                        value[$i] = $(i + 1)
                print value["\"schedules_per_second\""], value["\"steps\""] / value["\"schedules\""]
            }'
    done | sort -n | sed -n 2p
}

# Rows: jobs, strategy, schedules per second, steps.
measure_speed() {
    local jobs strategy row
    for jobs in 1 2; do
        for strategy in random portfolio; do
            row=$(schedules_per_second "$jobs" "$strategy")
            [ -n "$row" ] || return 1
            echo "$jobs $strategy $row"
        done
        row=$("$explored/bare" "$jobs" 2) || return 1
        echo "$jobs bare $row 0"
    done
}

print_speed() {
    awk -v cores="$(nproc)" '
        { rate[$1, $2] = $3; if ($4) steps = $4 }
        END {
            print "| Schedules per second | `random` | `portfolio` | bare |"
            print "|---|---:|---:|---:|"
            for (jobs = 1; jobs <= 2; jobs++)
                printf "| %d job%s | %.0f | %.0f | %.0f |\n", jobs, (jobs > 1 ? "s" : ""),
                    rate[jobs, "random"], rate[jobs, "portfolio"], rate[jobs, "bare"]
            printf "\nA run has %.1f steps in the mean; the machine has %d cores.\n\n", steps, cores
            print "| Goal | wanted | measured | met |\n|---|---|---|---|"
            what = "schedules per second, two threads with ten points each, 2 jobs, `portfolio`"
            printf "| %s | ≥ 3000 | %.0f | %s |\n\n", what, rate[2, "portfolio"],
                (rate[2, "portfolio"] >= 3000 ? "yes" : "**no**")
        }'
}

speed() {
    measure_speed >"$work/speed" || {
        complain "schedules per second could not be measured"
        return 1
    }
    print_speed <"$work/speed"
}

part_explore() {
    local failed=0
    explored=$work/explore
    build_subjects || return 1
    [ ${#only[@]} -gt 0 ] || speed || failed=1
    if [ -n "$(subjects)" ]; then
        echo "explore: schedules to the first bug" >&2
        first_bugs || failed=1
        echo "explore: fixed twins" >&2
        fixed_twins || failed=1
        echo "explore: replays" >&2
        replays
    fi
    if [ -n "$(spin_subjects)" ]; then
        echo "explore: spins" >&2
        spin_replays || failed=1
    fi
    return $failed
}

about_explore() {
    cat <<END
Programs under control: one thread runs at a time, and \`darn explore\` chooses who goes on.

First, how many schedules there are in a second, on a program of two threads with five locks and five unlocks
each (\`bench/explore/points.c\`); the median of 3 times $speed_schedules schedules. \`bare\` is what is possible: a
process forked for each run, two threads that pass a turn on by futex, nothing else (\`bench/explore/bare.c\`).

Second, how many schedules each strategy takes to the first bug of the programs of \`tests/programs/explore\`: the
median of $bug_seeds seeds, where a seed that finds nothing in $bug_schedules schedules counts as more than any
number. A number alone was found with each seed; \`(n of m)\` says with how many of those that were tried. No cell
may take longer than $bug_seconds s ($portfolio_seconds s for \`portfolio\`): there the seeds end. Only \`safestack\`
has more with \`portfolio\`: $hard_schedules schedules, $hard_seconds s. The runs that learn which accesses share
memory, before the first schedule, are counted; how many they are is in the last line.

The published figures are those of RFF's authors, for 46 programs, 20 trials of 5 minutes: RFF finds 44 in every
trial, with a geometric mean of 5 schedules, POS 36, PCT 34. Ours are not the same programs but have the same shapes.

Third, the fixed twin of each program with \`portfolio\`: $twin_schedules schedules, or as many as
$([ "$twin_seconds" = 86400 ] && echo "a day allows" || echo "$twin_seconds s allow"). Whatever is found is a false alarm.

Fourth, replays: the first bug of each program, $replay_times times, while a busy loop on each core loads the machine.

Fifth, spins. A thread that spins counts as blocked until what it reads changes; with \`--spins=0\` it does not,
and each turn of its loop is a step. The same random walk is recorded both ways and replayed $spin_times times.
(Tian, 5.3, estimates that 7 to 48 % of the time of a replay are saved, 23 % in the mean.) With \`pct\`, which lets
the thread of the highest priority run, a run that really spins may not end at all.
END
}
