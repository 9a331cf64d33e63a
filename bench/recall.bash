# Recall: in how many runs each tool reports the race that a program has, and what a run costs.
# shellcheck shell=bash disable=SC2015,SC2154 # the variables are those of bench/run and lib.bash

racy=$root/tests/programs/racy

recall_names() {
    basename -a "$racy"/*.c* | sed 's/\.[^.]*$//'
}

recall_source() {
    echo "$racy/$1".c*
}

# The source, and the other files whose lines its expectations may name.
recall_sources() {
    local source key
    recall_source "$1"
    source=$(recall_source "$1")
    for key in lib plugin plain; do
        header "$key" "$source" | sed "s|^|$root/tests/programs/parts/|"
    done
}

# Not every machine has TSan's runtime, or can run it.
has_tsan() {
    [ -x "$recalled/tsan" ] || { echo 'int main(void) { return 0; }' >"$recalled/tsan.c" &&
        "${cc[tsan]}" "${extra[tsan]}" "$recalled/tsan.c" -o "$recalled/tsan" 2>/dev/null; } && "$recalled/tsan" 2>/dev/null
}

recall_tools() {
    echo plain
    ! has_tsan || echo tsan
    printf '%s\n' run max predict hunt
}

# The build of a program that a tool runs.
build_for() {
    case $1 in plain | tsan) echo "$1" ;; *) echo darn ;; esac
}

# is_fresh NAME BUILD: built after all that it is made of.
is_fresh() {
    local made_of
    for made_of in $(recall_sources "$1") "$build/bin/darn" "$build"/lib/darn/*; do
        [ "$recalled/$1/$2/program" -nt "$made_of" ] || return 1
    done
}

# build_racy NAME BUILD...: by the last of its `build:` lines.
build_racy() {
    local name=$1 source variant log=$work/logs/build.recall.$1 options
    source=$(recall_source "$name")
    shift
    for variant; do
        ! is_fresh "$name" "$variant" || continue
        options=(--darn "$build/bin/darn" --build "$(header build "$source" | wc -l)" --into "$recalled/$name/$variant")
        [ "$variant" = darn ] || options+=("--$variant")
        mkdir -p "$recalled/$name/$variant" &&
            "$root/tests/programs/run-program" "${options[@]}" "$source" >"$log" 2>&1 || {
            tail -5 "$log" >&2
            complain "$name does not build ($variant); see $log"
            return 1
        }
    done
}

# What is a race at all is the program's to say; how hard to look is not.
opinions() {
    header run "$1" | grep -o -m 1 -e '--report-spins' | head -1
}

# prepare NAME TOOL: where it is run, in `place`; its environment, program and arguments in `subject`, and options
# of `darn run` and `darn hunt` in `wish`.
prepare() {
    local name=$1 variant source
    variant=$(build_for "$2")
    source=$(recall_source "$name")
    place=$recalled/$name/$variant
    read -ra subject <<<"$(header env "$source" | paste -sd' ') ./program $(header args "$source")"
    read -ra wish <<<"$(opinions "$source")"
}

# has_reported NAME TOOL LOG FINDINGS: 1 if the run has reported what it should, else 0. Whatever TSan reports counts.
has_reported() {
    local name=$1 tool=$2 met sources
    case $tool in
    plain) met=0 ;;
    tsan) met=$(grep -c 'WARNING: ThreadSanitizer: \(data race\|heap-use-after-free\)' "$3.err") ;;
    *)
        # A hunt also lists what it could not confirm.
        [ "$tool" != hunt ] || sed -i '/"certainty":"confirmed"/!d' "$4"
        mapfile -t sources < <(recall_sources "$name")
        met=$(perl "$root/tests/programs/judge-findings" --met "$4" "${sources[@]}")
        ;;
    esac
    [ "${met:-0}" -gt 0 ] && echo 1 || echo 0
}

# run_tool NAME TOOL: one run. Prints NAME TOOL 1|0 SECONDS.
run_tool() {
    local name=$1 tool=$2 log=$work/logs/recall.$1.$2 darn=$build/bin/darn place line wall
    local -a subject wish front
    prepare "$name" "$tool"
    rm -rf "$recalled/out" "$recalled/found" && : >"$recalled/found"
    case $tool in
    plain | tsan) front=() ;;
    run) front=("$darn" run "${wish[@]}" --json="$recalled/found" --) ;;
    max) front=("$darn" run --budget=max "${wish[@]}" --json="$recalled/found" --) ;;
    predict) front=("$darn" predict --suspects="$recalled/suspects" --json="$recalled/found" --) ;;
    hunt) front=("$darn" hunt "${wish[@]}" --seconds="$hunt_seconds" -o "$recalled/out" --json="$recalled/found" --) ;;
    esac
    # An environment of the program's own stands before everything.
    while [[ ${subject[0]} == *=* ]]; do
        front=("${subject[0]}" "${front[@]}")
        subject=("${subject[@]:1}")
    done
    line=$(cd "$place" && "$work/cost" "$log.out" "$log.err" "${front[@]}" "${subject[@]}" </dev/null)
    read -r _ wall _ <<<"$line"
    [ -n "$wall" ] || {
        complain "$name cannot be run by $tool"
        return 1
    }
    echo "$name $tool $(has_reported "$name" "$tool" "$log" "$recalled/found") $wall"
}

# runs_by TOOL: what takes times as long as the others, and has its own repetition built in, runs once.
runs_by() {
    case $1 in predict | hunt) echo 1 ;; *) echo "$recall_runs" ;; esac
}

build_for_recall() {
    build_racy "$1" plain darn && { ! has_tsan || build_racy "$1" tsan; }
}

# measure_recall NAME: all tools take turns.
measure_recall() {
    local name=$1 tool round
    local -a tools
    mapfile -t tools < <(recall_tools)
    for ((round = 0; round < recall_runs; round++)); do
        for tool in "${tools[@]}"; do
            [ "$round" -ge "$(runs_by "$tool")" ] || run_tool "$name" "$tool" || return 1
        done
    done
}

# Two tables, how often and how long, and what they are to show, from the rows of all runs.
print_recall() {
    awk '
        function median(key,    i, j, held, sorted) {
            for (i = 1; i <= number[key]; i++) {
                held = time[key, i]
                for (j = i - 1; j > 0 && sorted[j] > held; j--)
                    sorted[j + 1] = sorted[j]
                sorted[j + 1] = held
            }
            return sorted[int((number[key] + 1) / 2)]
        }
        function ratio(value) {
            return sprintf(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
        }
        function heading(title, from,    i, line, rule) {
            line = "| " title " |"
            rule = "|---|"
            for (i = from; i <= tools; i++) {
                line = line " " (label[tool[i]] ? label[tool[i]] : tool[i]) " |"
                rule = rule "---:|"
            }
            print line "\n" rule
        }
        function counts(    i, k, line, sum) {
            heading("Runs that report it", 2)
            for (k = 1; k <= names; k++) {
                line = "| " name[k] " |"
                for (i = 2; i <= tools; i++) {
                    line = line " " found[name[k], tool[i]] + 0 " |"
                    all[tool[i]] += found[name[k], tool[i]]
                }
                print line
            }
            line = "| **all together** |"
            for (i = 2; i <= tools; i++)
                line = line " " all[tool[i]] + 0 " of " ran[tool[i]] " |"
            print line "\n"
        }
        function costs(    i, k, line, plain, times, logs) {
            heading("Wall time of a run", 1)
            for (k = 1; k <= names; k++) {
                plain = median(name[k] SUBSEP "plain")
                line = sprintf("| %s | %.3f s |", name[k], plain)
                for (i = 2; i <= tools; i++) {
                    times = median(name[k] SUBSEP tool[i]) / (plain > 0.001 ? plain : 0.001)
                    logs[i] += log(times)
                    line = line " " ratio(times) " |"
                }
                print line
            }
            line = "| **geometric mean** | |"
            for (i = 2; i <= tools; i++)
                line = line " " ratio(exp(logs[i] / names)) " |"
            print line "\n"
        }
        function goals(    k, behind) {
            print "| Goal | wanted | measured | met |\n|---|---|---|---|"
            printf "| races reported at the default budget, next to TSan | ≥ %d | %d | %s |\n", all["tsan"], all["run"],
                all["run"] < all["tsan"] ? "**no**" : "yes"
            for (k = 1; k <= names; k++)
                if (found[name[k], "max"] + 0 < found[name[k], "tsan"] + 0)
                    behind = behind (behind ? ", " : "") name[k]
            printf "| programs where `--budget=max` is behind TSan | 0 | %s | %s |\n\n", behind ? behind : "0",
                behind ? "**no**" : "yes"
        }
        BEGIN {
            label["tsan"] = "TSan"
            label["run"] = "darn"
            label["max"] = "darn, max"
        }
        !($1 in known) { known[$1] = 1; name[++names] = $1 }
        !($2 in used) { used[$2] = 1; tool[++tools] = $2 }
        {
            found[$1, $2] += $3
            ran[$2]++
            time[$1, $2, ++number[$1, $2]] = $4
        }
        END {
            if (!names)
                exit
            counts()
            costs()
            if ("tsan" in used)
                goals()
        }' "$1"
}

# shellcheck disable=SC2046 # names have no blanks
part_recall() {
    local name failed=0 rows=$work/recall.rows
    mkdir -p "$work/recall" || return 1
    recalled=$(cd "$work/recall" && pwd)
    : >"$rows"
    has_tsan || complain "TSan cannot be used here" || failed=1
    two_at_a_time build_for_recall $(chosen $(recall_names)) || failed=1
    for name in $(chosen $(recall_names)); do
        echo "recall of $name" >&2
        measure_recall "$name" >>"$rows" || failed=1
    done
    print_recall "$rows"
    return $failed
}

about_recall() {
    cat <<END
In how many runs the race of a program is reported, of $recall_runs, or of one by \`predict\` and \`hunt\`: the programs of \`tests/programs/racy\`, built by the last \`build:\` line of each.
\`darn\` is \`darn run\` without noise, \`darn, max\` is \`--budget=max\`; \`predict\` is \`darn predict\`, and \`hunt\` is
\`darn hunt --seconds=$hunt_seconds\`, of which only what it confirms counts. A report of darn counts if it is about a variable and
the places that the head of the program names; any report of TSan counts, also where it takes the synchronization of OpenMP for a
race. \`volatile\` waits in a loop for its variable, which is only reported if asked to: it is run with \`--report-spins\`. Of
pbzip2, zstd and leveldb neither TSan nor darn reports a race: they are not among them.

All take turns. The time is the median wall time as a ratio to the plain build; the programs take some milliseconds, or sleep: what
starting, reading the debug information and printing a report take is most of it. \`predict\` runs such a program some times.
END
}
