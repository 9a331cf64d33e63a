# The engines on one set of traces, and on traces that are made, of growing length.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

engine_names() {
    "$build/bin/darn" analyze --engine=help | awk '{print $1}'
}

# analyze NAME ENGINES TRACE...: what --stats says of each engine, with the name in front:
# NAME engine distinct dynamic seconds events/s kilobytes dropped; and `(reading)` with its seconds.
analyze() {
    local name=$1 engines=$2 log=$work/logs/${1//\//.}.engines
    shift 2
    "$work/cost" "$log.out" "$log.err" "$build/bin/darn" analyze --engine="$engines" --stats "$@" \
        >"$log.cost" || return 1
    case $(awk '{print $4}' "$log.cost") in 0 | 66) ;; *) return 1 ;; esac
    awk -v name="$name" '
        /^engine  / { inside = 1; next }
        !NF { inside = 0 }
        inside { print name, $0 }' "$log.out"
}

count_events() {
    local trace about sum=0
    for trace in "$@"; do
        about=$("$build/bin/darn" trace stat --json "$trace") || return 1
        sum=$((sum + $(json_number events <<<"$about")))
    done
    echo "$sum"
}

print_engine_tables() {
    awk -v names="$(engine_names | paste -sd' ')" '
        BEGIN { engines = split(names, engine, " ") }
        $2 == "events" { program[++count] = $1; events[$1] = $3; total += $3; next }
        $2 == "(reading)" { reading += $3; next }
        {
            found[$1, $2] = $3
            distinct[$2] += $3; dynamic[$2] += $4; seconds[$2] += $5; dropped[$2] += $8
            if ($7 > memory[$2])
                memory[$2] = $7
        }
        END {
            line = "| Findings | events |"
            rule = "|---|---:|"
            for (i = 1; i <= engines; i++) {
                line = line " `" engine[i] "` |"
                rule = rule "---:|"
            }
            print line "\n" rule
            for (n = 1; n <= count; n++) {
                line = sprintf("| %s | %.2f M |", program[n], events[program[n]] / 1e6)
                for (i = 1; i <= engines; i++)
                    line = line " " found[program[n], engine[i]] + 0 " |"
                print line
            }
            print ""
            print "| Engine | findings | how often | seconds | million events/s | memory, largest | dropped |"
            print "|---|---:|---:|---:|---:|---:|---:|"
            for (i = 1; i <= engines; i++) {
                e = engine[i]
                printf "| `%s` | %d | %d | %.1f | %.1f | %.1f MB | %d |\n", e, distinct[e], dynamic[e],
                    seconds[e], total / 1e6 / (seconds[e] > 0 ? seconds[e] : 1e-3), memory[e] / 1024, dropped[e]
            }
            printf "| (reading) | | | %.1f | %.1f | | |\n\n", reading,
                total / 1e6 / (reading > 0 ? reading : 1e-3)
        }' "$1"
}

# compare_on NAME TRACE...: the rows of a program, or of several that count as one.
compare_on() {
    local name=$1 events rows
    shift
    if events=$(count_events "$@") && rows=$(analyze "$name" all "$@"); then
        printf '%s events %s\n%s\n' "$name" "$events" "$rows"
        echo "$name: analyzed" >&2
    else
        complain "$name could not be analyzed; see $work/logs/${name//\//.}.engines.*"
        return 1
    fi
}

engines_compared() {
    local name traces=() failed=0 rows=$work/engines
    : >"$rows"
    for name in $(chosen "${own[@]}" "${real[@]}"); do
        compare_on "$name" "$work/traces/$name.trace" >>"$rows" || failed=1
    done
    for name in $(chosen "${handmade[@]}"); do
        compare_on "$name" "$work/traces/spin.$name.volatile.trace" >>"$rows" || failed=1
    done
    # shellcheck disable=SC2046 # names have no blanks
    for name in $(chosen $(spin_tests)); do
        traces+=("$work/traces/spin.$name.volatile.trace")
    done
    [ ${#traces[@]} -eq 0 ] || compare_on tests/programs/spin "${traces[@]}" >>"$rows" || failed=1
    print_engine_tables "$rows"
    return $failed
}

# Rows: engine, events, seconds of the engine, kilobytes of the engine, seconds of reading, peak of the process.
measure_lengths() {
    local length engine trace=$work/traces/made.trace
    for length in $lengths; do
        "$work/trace_make" "$length" "$trace" || return 1
        for engine in hb hybrid syncp serial; do
            analyze "made.$engine" "$engine" "$trace" >"$work/made" || return 1
            awk -v engine="$engine" -v length_="$length" -v bytes="$(stat -c %s "$trace")" \
                -v cost="$(cat "$work/logs/made.$engine.engines.cost")" '
                $2 == engine { seconds = $5; memory = $7 }
                $2 == "(reading)" { reading = $3 }
                END {
                    split(cost, costs, " ")
                    print engine, length_, seconds, memory, reading, costs[3], bytes
                }' "$work/made"
        done
        rm -f "$trace"
    done
}

print_lengths() {
    awk '
        function verdict(is_met) {
            return is_met ? "yes" : "**no**"
        }
        BEGIN {
            print "| Engine | events | file | seconds | million events/s | with reading | memory | of the process |"
            print "|---|---:|---:|---:|---:|---:|---:|---:|"
        }
        {
            rate[NR] = $2 / 1e6 / ($3 > 0 ? $3 : 1e-3)
            printf "| `%s` | %d M | %.0f MB | %.2f | %.1f | %.1f | %.1f MB | %.1f MB |\n", $1, $2 / 1e6,
                $7 / 1e6, $3, rate[NR], $2 / 1e6 / ($3 + $5), $4 / 1024, $6
            # The shortest and the longest of each engine.
            if (!($1 in first)) {
                first[$1] = $3 / $2
                small[$1] = $4
                order[++engines] = $1
            }
            last[$1] = $3 / $2
            large[$1] = $4
            speed[$1] = rate[NR]
        }
        END {
            print "\n| Goal | wanted | measured | met |\n|---|---|---|---|"
            for (i = 1; i <= engines; i++) {
                e = order[i]
                goal = e == "hb" || e == "hybrid" ? 5 : 3
                printf "| `%s`: million events/s, the longest trace | ≥ %d | %.1f | %s |\n", e, goal,
                    speed[e], verdict(speed[e] >= goal)
                printf "| `%s`: time for an event, longest to shortest trace | ≤ 1.5 | %.2f | %s |\n", e,
                    last[e] / first[e], verdict(last[e] / first[e] <= 1.5)
                printf "| `%s`: memory, longest to shortest trace | ≤ 1.5 | %.2f | %s |\n", e,
                    large[e] / small[e], verdict(large[e] / small[e] <= 1.5)
            }
            print ""
        }'
}

part_engines() {
    local failed=0
    engines_compared || failed=1
    [ ${#only[@]} -eq 0 ] || return $failed
    measure_lengths >"$work/lengths" || failed=1
    sort -k1,1 -k2,2n "$work/lengths" | print_lengths
    return $failed
}

about_engines() {
    cat <<END
All engines on traces of the small programs, of pbzip2, zstd and leveldb, and of hand-made synchronization, in one pass over each: how many findings, and what each engine cost over all
of them. The programs are meant to have no races; what is left is what an engine cannot know, or news.

Then \`hb\`, \`hybrid\`, \`syncp\` and \`serial\`, each alone, on traces that are made: eight threads, locks, atomics, a heap whose blocks
never come back, some 17,000 variables at a time, whatever the length (\`bench/trace_make.c\`).
END
}
