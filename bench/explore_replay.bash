# Controlled runs: replays on a loaded machine, and what the recognition of spins saves in them.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and explore.bash

# A busy loop for each core, until the shell that calls it ends.
load_machine() {
    local loops=() core
    for ((core = 0; core < $(nproc); core++)); do
        timeout 600 bash -c 'while :; do :; done' &
        loops+=($!)
    done
    # shellcheck disable=SC2064 # those that there are now
    trap "kill ${loops[*]}" EXIT
}

# Keeps the first bug of each subject in DIRECTORY/LABEL/1.
keep_bugs() {
    local label rest
    rm -rf "$1"
    mkdir -p "$1"
    while read -r label _ _ rest; do
        # shellcheck disable=SC2086 # options are several words
        "$build/bin/darn" explore --schedules="$bug_schedules" --seconds="$portfolio_seconds" ${rest#*|} \
            -o "$1/$label" -- "$explored/$label" >"$work/logs/replay.$label" 2>&1 </dev/null
    done < <(subjects)
}

# Rows: label, how often the same happened, of how many replays; 0 of 0 when there is nothing to replay.
replay_bugs() {
    local label result
    while read -r label _; do
        if [ ! -d "$1/$label/1" ]; then
            echo "$label 0 0"
            continue
        fi
        result=$("$build/bin/darn" replay --times="$replay_times" "$1/$label/1" 2>>"$work/logs/replay.$label" |
            sed -n 's/^\([0-9]*\) of \([0-9]*\)$/\1 \2/p')
        echo "$label ${result:-0 $replay_times}"
    done < <(subjects)
}

print_replays() {
    awk '
        $3 == 0 { none = none (none ? ", " : "") $1; next }
        {
            findings++
            again += $2
            all += $3
            if ($2 != $3)
                others = others sprintf("%s%s: %d of %d", others ? ", " : "", $1, $2, $3)
        }
        END {
            if (none)
                print "- found nothing to replay: " none "\n"
            if (!findings)
                exit
            print "| Goal | wanted | measured | met |\n|---|---|---|---|"
            printf "| replays of %d findings that are the same, on a loaded machine | %d | %d%s | %s |\n\n",
                findings, all, again, others ? " (" others ")" : "", again == all ? "yes" : "**no**"
        }'
}

replays() {
    keep_bugs "$work/kept/bugs"
    (load_machine && replay_bugs "$work/kept/bugs") >"$work/replays"
    print_replays <"$work/replays"
}

# Lines of: NAME SOURCE POINTS. The kernels make too many accesses for a schedule: of theirs only synchronization, and
# with it spins, is a scheduling point.
# shellcheck disable=SC2046 # names have no blanks
spin_subjects() {
    local name
    for name in $(chosen "${handmade[@]}"); do
        echo "$name $here/programs/$name.c sync"
    done
    for name in $(chosen $(spin_tests)); do
        [ ! -f "$root/tests/programs/spin/$name.c" ] || echo "$name $root/tests/programs/spin/$name.c shared"
    done
    pure_spins
}

pure_spin_names() {
    grep -L pthread_spin "$root"/tests/programs/control/spin_*.c | sed 's|.*/||; s|\.c$||'
}

# Those that do nothing else in their loops, not even sched_yield.
# shellcheck disable=SC2046 # names have no blanks
pure_spins() {
    local name
    for name in $(chosen $(pure_spin_names)); do
        echo "$name $root/tests/programs/control/$name.c shared"
    done
}

build_spin_subjects() {
    spin_subjects | while read -r name source _; do
        echo "-o $explored/spin.$name $source"
    done | xargs -r -L 1 -P "$(nproc)" "${cc[darn]}" -O2 -g -pthread -DVAR=volatile >"$work/logs/spin.build" 2>&1
}

# replay_walks NAME POINTS SPINS: records random walks; prints the steps of one, and the milliseconds of its replay.
replay_walks() {
    local seed kept=$work/kept/walk log=$work/logs/spin.replay steps
    for ((seed = 1; seed <= spin_seeds; seed++)); do
        rm -rf "$kept"
        # Only a run that fails is kept.
        steps=$("$build/bin/darn" explore --json --jobs=1 --strategy=random --seed=$seed --schedules=1 --oracle=false \
            --max-steps=1000000 --spins="$3" --points="$2" -o "$kept" -- "$explored/spin.$1" 1 2>"$log.err" </dev/null |
            tail -1 | json_number steps)
        "$work/cost" "$log" "$log.err" taskset -c "$spin_core" \
            "$build/bin/darn" replay --times="$spin_times" "$kept/1" </dev/null >"$log.cost" || return 1
        grep -qx "$spin_times of $spin_times" "$log" || return 1
        echo "$steps $(cut -d' ' -f2 "$log.cost")"
    done | awk -v times="$spin_times" '
        { steps += $1; seconds += $2 }
        END { if (NR) print steps / NR, seconds / NR / times * 1000 }'
}

# Rows: name, steps and milliseconds when spins are recognised, the same when they are not.
measure_spin_replays() {
    local name points recognised spun failed=0
    while read -r name _ points; do
        if recognised=$(replay_walks "$name" "$points" 1) && spun=$(replay_walks "$name" "$points" 0); then
            echo "$name $recognised $spun"
        else
            complain "$name could not be recorded and replayed; see $work/logs/spin.replay.err"
            failed=1
        fi
    done < <(spin_subjects)
    return $failed
}

print_spin_replays() {
    awk '
        BEGIN {
            print "| Replay | steps: spun | recognised | ms: spun | recognised | time saved |"
            print "|---|---:|---:|---:|---:|---:|"
        }
        NF == 5 {
            printf "| %s | %.0f | %.0f | %.2f | %.2f | %.0f %% |\n", $1, $4, $2, $5, $3, 100 * (1 - $3 / $5)
            steps += log($2 / $4)
            time += log($3 / $5)
            count++
        }
        END {
            if (count)
                printf "| **geometric mean** | 1 | %.2f | 1 | %.2f | %.0f %% |\n\n", exp(steps / count),
                    exp(time / count), 100 * (1 - exp(time / count))
        }'
}

# Rows: name, schedules per second with spins recognised and spun.
measure_spin_speed() {
    local name spins row
    while read -r name _; do
        row=$name
        for spins in 1 0; do
            row+=" $("$build/bin/darn" explore --json --jobs=1 --strategy=pct --schedules=500 --seconds=2 --keep-going \
                --spins="$spins" -- "$explored/spin.$name" 2>/dev/null </dev/null | 
                sed -n 's/.*"schedules_per_second":\([0-9]*\.*[0-9]*\).*/\1/p')"
        done
        echo "$row"
    done < <(pure_spins)
}

print_spin_speed() {
    awk '
        BEGIN { print "| Schedules per second, `pct` | spun | recognised |\n|---|---:|---:|" }
        { printf "| %s | %.1f | %.1f |\n", $1, $3, $2 }
        END { print "" }'
}

spin_replays() {
    local failed=0
    build_spin_subjects || {
        tail -5 "$work/logs/spin.build" >&2
        return 1
    }
    spin_core=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
    measure_spin_replays >"$work/spin_replays" || failed=1
    print_spin_replays <"$work/spin_replays"
    [ -z "$(pure_spins)" ] || measure_spin_speed | print_spin_speed
    return $failed
}
