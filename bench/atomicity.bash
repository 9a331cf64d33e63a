# Atomicity: tables 1 and 3 of Wang & Stoller, on the programs of tests/programs/atomicity.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

atomicity_engines=(reduction-online reduction blocks)

# Those that have expectations; the others are parts of them.
atomicity_names() {
    grep -l '^ \* expect' "$root"/tests/programs/atomicity/*.c | xargs basename -a -s .c
}

# One line for each run of the programs: NAME LABEL ARGUMENTS. The label tells several runs of one program apart.
# shellcheck disable=SC2046 # names have no blanks
atomicity_runs() {
    local name lines
    for name in $(chosen $(atomicity_names)); do
        lines=$(header args "$root/tests/programs/atomicity/$name.c")
        if [ -n "$lines" ]; then
            while read -r lines; do
                echo "$name $lines"
            done <<<"$lines"
        else
            echo "$name $name"
        fi
    done
}

# expected FILE LABEL: lines of `bug FUNCTION` and `benign FUNCTION`.
expected() {
    { header expect "$1" && header "expect $2" "$1"; } | awk '$1 == "bug" || $1 == "benign" { print $1, $2 }'
}

# build_atomicity NAME: twice, plain and by darn.
build_atomicity() {
    local name=$1 folder=$root/tests/programs/atomicity log=$work/logs/build.atomicity.$1 source
    local -a flags sources=()
    read -ra flags <<<"$(header build "$folder/$name.c") -g -pthread"
    for source in "$name.c" $(header with "$folder/$name.c"); do
        sources+=("$folder/$source")
    done
    {
        "${cc[plain]}" "${flags[@]}" "${sources[@]}" -lm -o "$checked/$name.plain" &&
            "${cc[darn]}" --darn-functions "${flags[@]}" "${sources[@]}" -lm -o "$checked/$name.darn"
    } >"$log" 2>&1 || {
        tail -5 "$log" >&2
        complain "$name does not build; see $log"
        return 1
    }
}

# seconds LOG COMMAND...: its user time. It fails when the command was killed, or its status is neither 0 nor 66.
seconds() {
    local log=$1 line user status
    shift
    line=$("$work/cost" "$log.out" "$log.err" "$@") || return 1
    read -r user _ _ status <<<"$line"
    case $status in 0 | 66) echo "$user" ;; *) return 1 ;; esac
}

# functions_of JSON: a line for each report of what is not atomic: the function whose execution it is about. Where
# there is more than one such execution (two variables, a cycle), all functions of the report follow.
functions_of() {
    awk '
        function name_in(text) {
            return match(text, /"function":"[^"]*"/) ? substr(text, RSTART + 12, RLENGTH - 13) : "?"
        }
        /"kind":"atomicity-violation"/ {
            line = match($0, /"section":\{[^}]*\}/) ? name_in(substr($0, RSTART, RLENGTH)) : "?"
            rest = /"reason":"(two-variables|cycle)"/ ? $0 : ""
            while (match(rest, /"function":"[^"]*"/)) {
                line = line " " substr(rest, RSTART + 12, RLENGTH - 13)
                rest = substr(rest, RSTART + RLENGTH)
            }
            print line
        }' "$1"
}

# judge EXPECTED REPORTED: BUGS BENIGN FALSE, counted by functions as the paper does. A report that names an expected
# function is right, whoever is its partner.
judge() {
    awk '
        FILENAME == ARGV[1] { expected[$2] = $1; next }
        {
            right = 0
            for (i = 1; i <= NF; i++) {
                if ($i in expected) {
                    found[expected[$i], $i] = 1
                    right = 1
                }
            }
            if (!right)
                found["false", $1] = 1
        }
        END {
            for (key in found) {
                split(key, part, SUBSEP)
                count[part[1]]++
            }
            print count["bug"] + 0, count["benign"] + 0, count["false"] + 0
        }' "$1" "$2"
}

# missed EXPECTED REPORTED BY: how many of the expected functions that BY has are not in REPORTED.
missed() {
    comm -13 <(tr ' ' '\n' <"$2" | sort -u) <(tr ' ' '\n' <"$3" | sort -u) |
        grep -cxF -f <(awk '{print $2}' "$1")
}

# check_once LABEL ENGINE SUFFIX OPTION...: a row of LABEL ENGINE SUFFIX SECONDS BUGS BENIGN FALSE WARNINGS.
check_once() {
    local label=$1 engine=$2 suffix=$3 at=$checked/$1 json taken
    json=$at.$engine.$suffix
    shift 3
    rm -f "$json.jsonl"
    taken=$(seconds "$work/logs/atomicity.$label" "$build/bin/darn" analyze --engine="$engine" "$@" \
        --json="$json.jsonl" "$at.trace") || {
        complain "$engine fails on $label; see $work/logs/atomicity.$label.err"
        return 1
    }
    touch "$json.jsonl"
    functions_of "$json.jsonl" >"$json.functions" || return 1
    echo "$label $engine $suffix $taken $(judge "$at.expected" "$json.functions") $(wc -l <"$json.functions")"
}

# record_run NAME LABEL ARGUMENTS...: a row of LABEL run SECONDS SECONDS EVENTS: plain, recorded, events.
record_run() {
    local name=$1 label=$2 at=$checked/$2 log=$work/logs/atomicity.$2 plain recorded about
    shift 2
    rm -f "$at.trace" "$at.profile"
    if ! plain=$(seconds "$log" "$checked/$name.plain" "$@") ||
        ! DARN_OPTIONS=learn=$at.profile "$checked/$name.darn" "$@" >"$log.out" 2>"$log.err" ||
        ! recorded=$(DARN_OPTIONS=profile=$at.profile:trace=$at.trace:max_size=$trace_megabytes \
            seconds "$log" "$checked/$name.darn" "$@") ||
        ! about=$("$build/bin/darn" trace stat --json "$at.trace"); then
        complain "$label could not be recorded; see $log.err"
        return 1
    fi
    echo "$label run $plain $recorded $(json_number events <<<"$about")"
}

# check_run NAME LABEL ARGUMENTS...: all rows of one run.
check_run() {
    local name=$1 label=$2 at=$checked/$2 engine
    record_run "$@" || return 1
    expected "$root/tests/programs/atomicity/$name.c" "$label" >"$at.expected"
    echo "$label expected $(grep -c ^bug "$at.expected") $(grep -c ^benign "$at.expected")"
    for engine in "${atomicity_engines[@]}"; do
        check_once "$label" "$engine" full || return 1
    done
    echo "$label missed $(missed "$at.expected" "$at.reduction-online.full.functions" "$at.reduction.full.functions")"
    check_once "$label" blocks none --no-escape --no-order &&
        check_once "$label" blocks escape --no-order
}

print_table_1() {
    awk '
        $2 == "run" { label[++count] = $1; plain[$1] = $3; recorded[$1] = $4; events[$1] = $5 }
        $2 == "missed" { missed[$1] = $3 }
        $3 == "full" { time[$1, $2] = $4; report[$1, $2] = $5 "-" $6 "-" $7 }
        END {
            print "| Table 1 | events | plain | recorded | `reduction-online` | | `reduction` | | `blocks` | |"
            print "|---|---:|---:|---:|---:|---|---:|---|---:|---|"
            for (i = 1; i <= count; i++) {
                l = label[i]
                printf "| %s | %d | %.2f s | %.2f s | %.2f s | %s-%d | %.2f s | %s | %.2f s | %s |\n", l, events[l],
                    plain[l], recorded[l], time[l, "reduction-online"], report[l, "reduction-online"], missed[l],
                    time[l, "reduction"], report[l, "reduction"], time[l, "blocks"], report[l, "blocks"]
            }
            print ""
        }' "$1"
}

print_table_3() {
    awk '
        $2 == "run" { label[++count] = $1 }
        $2 == "expected" { wanted += $3 + $4 }
        $2 == "blocks" { report[$1, $3] = sprintf("%d-%d-%d | %d | %.2f s", $5, $6, $7, $8, $4) }
        $2 == "blocks" && $3 == "full" { found += $5 + $6; alarms += $7 }
        END {
            print "| Table 3 | nothing | warnings | | escape | warnings | | escape and order | warnings | |"
            print "|---|---|---:|---:|---|---:|---:|---|---:|---:|"
            for (i = 1; i <= count; i++) {
                l = label[i]
                printf "| %s | %s | %s | %s |\n", l, report[l, "none"], report[l, "escape"], report[l, "full"]
            }
            print "\n| Goal | wanted | measured | met |\n|---|---|---|---|"
            printf "| functions that are not atomic, found by `blocks` | %d | %d | %s |\n", wanted, found,
                (found == wanted ? "yes" : "**no**")
            printf "| false alarms of `blocks` | 0 | %d | %s |\n\n", alarms, (alarms == 0 ? "yes" : "**no**")
        }' "$1"
}

part_atomicity() {
    local name rest failed=0 rows=$work/atomicity.rows
    checked=$work/atomicity
    mkdir -p "$checked" || return 1
    : >"$rows"
    # shellcheck disable=SC2046 # names have no blanks
    for name in $(chosen $(atomicity_names)); do
        build_atomicity "$name" || failed=1
    done
    while read -r name rest; do
        # shellcheck disable=SC2086 # the arguments are several words
        check_run "$name" $rest >>"$rows" </dev/null || failed=1
    done < <(atomicity_runs)
    print_table_1 "$rows"
    print_table_3 "$rows"
    return $failed
}

about_atomicity() {
    cat <<END
Tables 1 and 3 of Wang & Stoller, for C programs of the same kind, written for the purpose
(\`tests/programs/atomicity\`): collections whose methods are called in pairs, and small programs. One run of each is
recorded and analyzed by the three algorithms. Times are user times; \`recorded\` is the program alone, those behind
it are of the analysis.

The numbers are bugs-benign-false alarms, for \`reduction-online\` also those that it misses and \`reduction\` finds.
Functions are counted, not warnings: what is a bug and what is benign stands in the head of each program, and
everything else is a false alarm. Where two functions are to blame for one warning, it is enough that one of them is
expected.

Table 3 is \`blocks\` without escape analysis and order (\`--no-escape --no-order\`), with escape analysis only, and with
both; and how many warnings that gives.
END
}
