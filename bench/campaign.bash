# Campaigns: how soon each search comes to a rare bug, next to fixed noise and to none.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

# Of tests/programs/explore: bugs that few runs show, whatever the noise.
rare=(refcount stack_aba read_copy_reclaim hazard_pointer reader_count work_stealing multi_variable string_buffer
    repeated_read once_by_hand bounded_buffer_if rmw_across_unlock)

campaign_names() {
    printf '%s\n' "${rare[@]}"
}

build_rare() {
    local file=$root/tests/programs/explore/$1.c
    # shellcheck disable=SC2046 # the flags are several words
    "${cc[darn]}" $(header build "$file" | head -1) -g -pthread "$file" -o "$work/campaign/$1" \
        >"$work/logs/build.campaign.$1" 2>&1 || {
        complain "$1 does not build; see $work/logs/build.campaign.$1"
        return 1
    }
}

# describe SEARCH PLACE ORACLE NAME...: the file of a campaign. Without an oracle the status says whether a run was right.
describe() {
    local search=$1 place=$2 oracle=$3 name comma='' vary='"noise": "none|random|variable|site"'
    shift 3
    [ "$search" != none ] || search=fixed vary='"noise": "none"'
    echo "{\"darn-campaign\": 1, \"search\": \"$search\", \"modes\": [\"run\"], \"vary\": {$vary}, \"tests\": ["
    for name in "$@"; do
        echo "$comma{\"name\": \"$name\", \"command\": [\"$work/campaign/$name\"], \"directory\": \"$place\","
        echo " ${oracle:+\"oracle\": \"$oracle\",} \"timeout\": 2, \"compiled\": true}"
        comma=,
    done
    echo "]}"
}

# first_bug NAME SEARCH SEED: prints NAME SEARCH SEED SECONDS PROCESSOR_SECONDS ROUNDS FOUND. In a shell of its own.
first_bug() {
    local place=$work/campaign/$1.$2.$3 begin pid took line found=0 processor
    rm -rf "$place" && mkdir -p "$place" && mkfifo "$place/found" || return 1
    # It tells us of a run that fails, at once.
    describe "$2" "$place" "test \\\"\$DARN_STATUS\\\" -eq 0 || { echo >'$place/found'; exit 1; }" "$1" >"$place/night.json"
    exec 7<>"$place/found"
    begin=${EPOCHREALTIME/./}
    "$build/bin/darn" campaign run "$place/night.json" --seed="$3" --jobs=1 --seconds="$campaign_limit" >"$place/log" 2>&1 7<&- &
    pid=$!
    if read -rt "$campaign_limit" line <&7; then
        found=1
    fi
    took=$((${EPOCHREALTIME/./} - begin))
    kill -TERM $pid
    wait $pid
    exec 7<&-
    builtin times >"$place/times" # its second line: what the children of this shell have used, and theirs
    processor=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } print sum }' "$place/times")
    # The round that has shown it is broken off.
    echo "$1 $2 $3 $((took / 1000000)).$(printf %06d $((took % 1000000))) $processor" \
        "$(($(sqlite3 "$place/night.db" 'SELECT count(*) FROM rounds') + found)) $found"
    rm -rf "$place"
}

# Two at a time; those of one program and seed come together, so that all see the same machine.
measure_campaigns() {
    local name search seed
    for name in $(chosen "${rare[@]}"); do
        build_rare "$name" || return 1
        echo "campaigns of $name" >&2
        for ((seed = 1; seed <= campaign_seeds; seed++)); do
            for search in "${searches[@]}"; do
                while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
                    wait -n
                done
                first_bug "$name" "$search" "$seed" >"$work/campaign/row.$name.$search.$seed" 2>/dev/null &
            done
        done
        wait
    done
}

# coverage_after SEARCH SEED: prints SEARCH SEED FACTS ROUNDS, of one campaign of all the programs.
coverage_after() {
    local place=$work/campaign/all.$1.$2
    rm -rf "$place" && mkdir -p "$place" || return 1
    # shellcheck disable=SC2046 # names have no blanks
    describe "$1" "$place" "" $(chosen "${rare[@]}") >"$place/night.json"
    "$build/bin/darn" campaign run "$place/night.json" --seed="$2" --jobs=1 --seconds="$coverage_seconds" >"$place/log" 2>&1
    echo "$1 $2" "$(sqlite3 -separator ' ' "$place/night.db" 'SELECT sum(coverage_new), count(*) FROM rounds')"
    rm -rf "$place"
}

measure_coverage() {
    local search seed
    echo "campaigns of all of them" >&2
    for ((seed = 1; seed <= coverage_seeds; seed++)); do
        for search in "${searches[@]}"; do
            while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
                wait -n
            done
            coverage_after "$search" "$seed" >"$work/campaign/coverage.$search.$seed" 2>/dev/null &
        done
    done
    wait
}

# print_coverage ROWS
print_coverage() {
    awk -v names="${searches[*]}" -v seconds="$coverage_seconds" '
        { facts[$1] += $3; rounds[$1] += $4; n[$1]++ }
        n[$1] == 1 || $3 < least[$1] { least[$1] = $3 }
        $3 > most[$1] { most[$1] = $3 }
        END {
            count = split(names, search, " ")
            print "| search | coverage after " seconds " s | least | most | rounds |\n|---|---:|---:|---:|---:|"
            for (i = 1; i <= count; i++) {
                k = search[i]
                all = n[k] ? n[k] : 1
                printf "| %s | %.0f | %d | %d | %.0f |\n", k == "none" ? "no noise" : "`" k "`", facts[k] / all, least[k], most[k], rounds[k] / all
            }
            print ""
        }' "$1"
}

# print_campaigns ROWS: what all campaigns have taken, for each bug that one has found: of those that have found none within
# their time, it is known only that it takes longer. The error of such a mean is one in the root of what was found.
# What neither fixed noise nor the search has found is in no ratio.
print_campaigns() {
    awk -v names="${searches[*]}" -v programs="$(chosen "${rare[@]}" | paste -sd' ')" '
        function bugs(k) { return found[k] ? found[k] : 1 }
        function median(list, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j - 1] > list[j]; j--) {
                    t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
                }
            return n ? (list[int((n + 1) / 2)] + list[int((n + 2) / 2)]) / 2 : 0
        }
        { k = $1 SUBSEP $2; seconds[k] += $4; processor[k] += $5; rounds[k] += $6; found[k] += $7 }
        END {
            columns = split(names, search, " ")
            rows = split(programs, program, " ")
            line = "| processor seconds (rounds) for each bug that was found (how many were) |"
            rule = "|---|"
            for (i = 1; i <= columns; i++) {
                line = line (search[i] == "none" ? " no noise |" : " `" search[i] "` |")
                rule = rule "---:|"
            }
            print line "\n" rule
            for (r = 1; r <= rows; r++) {
                line = "| " program[r] " |"
                for (i = 1; i <= columns; i++) {
                    k = program[r] SUBSEP search[i]
                    line = line sprintf(" %s%.2f (%.0f; %d) |", found[k] ? "" : "> ", processor[k] / bugs(k), rounds[k] / bugs(k), found[k])
                }
                print line
            }
            middle = "| **to those of `fixed`, median** |"
            worst = "| **worst** |"
            wall = "| **seconds to those of `fixed`, median** |"
            turns = "| **rounds to those of `fixed`, median** |"
            for (i = 1; i <= columns; i++) {
                at = n = 0
                for (r = 1; r <= rows; r++) {
                    k = program[r] SUBSEP search[i]
                    f = program[r] SUBSEP "fixed"
                    if (!found[k] && !found[f])
                        continue
                    of_processor[++n] = ratio = processor[k] / bugs(k) / (processor[f] / bugs(f))
                    of_seconds[n] = seconds[k] / bugs(k) / (seconds[f] / bugs(f))
                    of_rounds[n] = rounds[k] / bugs(k) / (rounds[f] / bugs(f))
                    if (!at || ratio > highest) {
                        at = r
                        highest = ratio
                    }
                }
                k = program[at] SUBSEP search[i]
                f = program[at] SUBSEP "fixed"
                worst = worst (k == f ? " 1.00 |" : sprintf(" %.2f ± %.2f |", highest, highest * sqrt(1 / bugs(k) + 1 / bugs(f))))
                middle = middle sprintf(" %.2f |", median(of_processor, n))
                wall = wall sprintf(" %.2f |", median(of_seconds, n))
                turns = turns sprintf(" %.2f |", median(of_rounds, n))
            }
            print middle "\n" worst "\n" wall "\n" turns "\n"
        }' "$1"
}

part_campaign() {
    command -v sqlite3 >/dev/null || { complain "sqlite3 is not here"; return 1; }
    rm -rf "$work/campaign" && mkdir -p "$work/campaign" || return 1
    measure_campaigns || return 1
    cat "$work"/campaign/row.* >"$work/campaign/rows"
    print_campaigns "$work/campaign/rows"
    measure_coverage
    cat "$work"/campaign/coverage.* >"$work/campaign/coverage"
    print_coverage "$work/campaign/coverage"
}

about_campaign() {
    cat <<END
\`darn campaign run --jobs=1\` of one test each, a program of \`tests/programs/explore\` with a bug that few runs show, until a run of it
fails, with $campaign_seeds seeds, for at most $campaign_limit s, two campaigns at a time. Rounds are only runs (\`"modes": ["run"]\`): what hunts
and explorations find is in other parts. \`fixed\` is the default noise of \`darn run\`, no noise the same without; \`portfolio\` is
the default search. The first three rounds are without noise for all. What the campaigns of a cell have taken together is divided by the bugs that they have found; the
error of that is one in the root of their number: of two equal searches one seems half as slow again now and then, in a single row, and the
worst row of all is chosen by that. What is behind ± is its standard error. The goal is that the default is better than \`fixed\` in the
median, and at most 1.5 times as slow.

Below that, one campaign of all these programs for $coverage_seconds s (seeds: $coverage_seeds): how many [facts](cmd-coverage.md) it has seen, the mean of
the seeds, and the least and most.
END
}
