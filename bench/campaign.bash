# Campaigns: how soon each search comes to a rare bug, next to fixed noise and to none.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

# Of tests/programs/explore: bugs that few runs show, whatever the noise.
rare=(refcount stack_aba read_copy_reclaim hazard_pointer reader_count work_stealing multi_variable string_buffer
    repeated_read once_by_hand bounded_buffer_if rmw_across_unlock)
searches=(none fixed random climb anneal genetic bandit portfolio)

campaign_names() {
    printf '%s\n' "${rare[@]}"
}

build_rare() {
    local file=$root/tests/programs/explore/$1.c
    # shellcheck disable=SC2046 # the flags are several words
    "${cc[darn]}" $(header build "$file" | head -1) -g -pthread "$file" -o "$work/campaign/$1" \
        >"$work/logs/build.campaign.$1" 2>&1 || {
        echo "bench/run: $1 does not build; see $work/logs/build.campaign.$1" >&2
        return 1
    }
}

# describe NAME SEARCH PLACE: the file of the campaign. Its oracle tells us of a run that fails, at once.
describe() {
    local search=$2 vary='"noise": "none|random|variable|site"'
    [ "$search" != none ] || search=fixed vary='"noise": "none"'
    cat <<END
{"darn-campaign": 1, "search": "$search", "modes": ["run"], "vary": {$vary},
 "tests": [{"name": "$1", "command": ["$work/campaign/$1"], "directory": "$3", "timeout": 2, "compiled": true,
            "oracle": "test \\"\$DARN_STATUS\\" -eq 0 || { echo >'$3/found'; exit 1; }"}]}
END
}

# first_bug NAME SEARCH SEED: prints NAME SEARCH SEED SECONDS ROUNDS FOUND.
first_bug() {
    local place=$work/campaign/$1.$2.$3 begin pid took line found=0
    rm -rf "$place" && mkdir -p "$place" && mkfifo "$place/found" && describe "$1" "$2" "$place" >"$place/night.json" || return 1
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
    # The round that has shown it is broken off.
    echo "$1 $2 $3 $((took / 1000000)).$(printf %06d $((took % 1000000)))" \
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

# print_campaigns ROWS: means; a campaign that has not found it counts with all of its time.
print_campaigns() {
    awk -v names="${searches[*]}" -v programs="$(chosen "${rare[@]}" | paste -sd' ')" '
        function sort(list, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j - 1] > list[j]; j--) {
                    t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
                }
        }
        { seconds[$1, $2] += $4; rounds[$1, $2] += $5; found[$1, $2] += $6; n[$1, $2]++ }
        END {
            columns = split(names, search, " ")
            rows = split(programs, program, " ")
            line = "| Seconds (rounds) to the bug |"
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
                    all = n[k] ? n[k] : 1
                    line = line sprintf(" %.2f (%.0f)%s |", seconds[k] / all, rounds[k] / all,
                                        found[k] < n[k] ? sprintf(", %d of %d", found[k], n[k]) : "")
                }
                print line
            }
            middle = "| **seconds to those of `fixed`, median** |"
            worst = "| **worst** |"
            sum = "| **all programs together, seconds to those of `fixed`** |"
            for (i = 1; i <= columns; i++) {
                ours = theirs = 0
                for (r = 1; r <= rows; r++) {
                    ratio[r] = seconds[program[r], search[i]] / seconds[program[r], "fixed"]
                    ours += seconds[program[r], search[i]]
                    theirs += seconds[program[r], "fixed"]
                }
                sort(ratio, rows)
                middle = middle sprintf(" %.2f |", (ratio[int((rows + 1) / 2)] + ratio[int((rows + 2) / 2)]) / 2)
                worst = worst sprintf(" %.2f |", ratio[rows])
                sum = sum sprintf(" %.2f |", ours / theirs)
            }
            print middle "\n" worst "\n" sum "\n"
        }' "$1"
}

part_campaign() {
    command -v sqlite3 >/dev/null || { echo "bench/run: sqlite3 is not here" >&2; return 1; }
    rm -rf "$work/campaign" && mkdir -p "$work/campaign" || return 1
    measure_campaigns || return 1
    cat "$work"/campaign/row.* >"$work/campaign/rows"
    print_campaigns "$work/campaign/rows"
}

about_campaign() {
    cat <<END
\`darn campaign run --jobs=1\` of one test each, a program of \`tests/programs/explore\` with a bug that few runs show: how long
until a run of it fails, with $campaign_seeds seeds, at most $campaign_limit s, two campaigns at a time. Rounds are only runs (\`"modes": ["run"]\`): what hunts
and explorations find is in other parts. \`fixed\` is the default noise of \`darn run\`, no noise the same without; \`portfolio\` is
the default search. The first three rounds are without noise for all. Such a mean has an error of one in the root of the number of seeds
($(awk -v n="$campaign_seeds" 'BEGIN { printf "%.0f", 100 / sqrt(n) }') %): of two equal searches one seems half as slow again now and then, in a single row. The goal is that the default is better
than \`fixed\` in the median, and at most 1.5 times as slow.
END
}
