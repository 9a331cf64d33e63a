# Controlled runs: schedules to the first bug of each program, and none in its fixed twin.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and explore.bash

# The table, from rows of explore/trials: a line for each program, in the order of the list of labels.
print_first_bugs() {
    awk -v names="${strategies[*]}" -v labels="$(subjects | cut -d' ' -f1 | paste -sd' ')" -v seeds="$bug_seeds" \
        -v limit="$bug_schedules" '
        function sort(list, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j - 1] > list[j]; j--) {
                    t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
                }
        }
        BEGIN { columns = split(names, strategy, " "); rows = split(labels, label, " "); none = 1e18 }
        {
            found = 0
            trials = NF - 2
            for (i = 3; i <= NF; i++) {
                split($i, part, "/")
                first[i - 2] = part[1] == "-" ? none : part[1] + part[3]
                found += part[1] != "-"
                learnt[$2] += part[3]
            }
            count[$2] += trials
            sort(first, trials)
            middle = (first[int((trials + 1) / 2)] + first[int((trials + 2) / 2)]) / 2
            is_found = trials && middle < none / 2
            cell[$1, $2] = (is_found ? middle : "–") (found == seeds ? "" : " (" found " of " trials ")")
            if (found == seeds) {
                every[$2]++
                logs[$2] += log(middle)
            }
            all[$2] += log(is_found && middle < limit ? middle : limit)
        }
        END {
            line = "| Runs to the first bug |"
            rule = "|---|"
            for (i = 1; i <= columns; i++) {
                line = line " `" strategy[i] "` |"
                rule = rule "---:|"
            }
            print line "\n" rule
            for (n = 1; n <= rows; n++) {
                line = "| " label[n] " |"
                for (i = 1; i <= columns; i++)
                    line = line " " cell[label[n], strategy[i]] " |"
                print line
            }
            sum = "| **found with every seed, of " rows "** |"
            mean = "| **geometric mean of these** |"
            whole = "| **geometric mean of all, " limit " if not found** |"
            before = "| **of these only to learn, mean** |"
            for (i = 1; i <= columns; i++) {
                s = strategy[i]
                sum = sum " " every[s] + 0 " |"
                mean = mean " " (every[s] ? sprintf("%.2f", exp(logs[s] / every[s])) : "–") " |"
                whole = whole " " sprintf("%.1f", exp(all[s] / rows)) " |"
                before = before " " sprintf("%.1f", count[s] ? learnt[s] / count[s] : 0) " |"
            }
            print sum "\n" mean "\n" whole "\n" before "\n"
        }' "$1"
}

# Next to what is published, from the table and the rows that it was made of.
print_published() {
    awk -v is_whole="$([ ${#only[@]} -eq 0 ] && echo 1)" '
        function row(what, best, measured, is_met) {
            printf "| %s | %s | %s | %s |\n", what, best, measured, is_met ? "yes" : "**no**"
        }
        function program(label, best, limit) {
            if (label in ours)
                row(label ": runs to the first bug", best, ours[label] ", " learnt[label] " of them only to learn",
                    ours[label] ~ /^[0-9]/ && ours[label] + 0 < limit)
        }
        FNR == 1 { file++ }
        file == 1 && $2 == "portfolio" {
            split($3, part, "/")
            learnt[$1] = part[3]
        }
        file == 1 { next }
        FNR == 1 { FS = " *[|] *" }
        { ours[$2] = $3 }
        $2 ~ /found with every seed/ { programs = $2; gsub(/[^0-9]/, "", programs); every = $3 }
        $2 ~ /geometric mean of these/ { mean = $3 }
        END {
            print "| Goal: ahead of what is published | best | `portfolio` | met |\n|---|---|---|---|"
            program("reorder_100", "6 (RFF; PCT thousands)", 6)
            program("twostage_100", "56 (RFF)", 56)
            program("safestack", "none finds it", 1e18)
            if (is_whole) {
                row("programs whose bug is found with every seed", "44 of 46 (RFF; POS 36, PCT 34)",
                    every " of " programs, every * 46 > 44 * programs)
                row("runs to the first bug of these, geometric mean (our goal: 4)", "5 (RFF)", mean, mean > 0 && mean <= 4)
            }
            print ""
        }' "$1" "$2"
}

# The one that takes long begins.
bug_trials() {
    local strategy
    subjects | grep '^safestack ' | trial_lines portfolio "$bug_seeds" "$hard_schedules" "$hard_seconds"
    subjects | grep -v '^safestack ' | trial_lines portfolio "$bug_seeds" "$bug_schedules" "$portfolio_seconds"
    for strategy in "${strategies[@]:1}"; do
        subjects | trial_lines "$strategy" "$bug_seeds" "$bug_schedules" "$bug_seconds"
    done
}

first_bugs() {
    local failed=0 rows=$work/first_bugs
    bug_trials | run_trials >"$rows" || failed=1
    print_first_bugs "$rows" >"$rows.md"
    cat "$rows.md"
    print_published "$rows" "$rows.md"
    return $failed
}

print_twins() {
    awk -v wanted="$twin_schedules" '
        {
            split($3, part, "/")
            made = part[2] + 0
            sum += made
            complete += made >= wanted
            if (part[1] != "-") {
                findings++
                where = where (where ? ", " : " (") $1
            }
            if (NR == 1 || made < least) {
                least = made
                who = $1
            }
        }
        END {
            if (!NR)
                exit
            print "| Fixed twins | schedules, all together | with all " wanted " | fewest | findings |"
            print "|---:|---:|---:|---:|---:|"
            printf "| %d | %d | %d | %d (%s) | %d |\n\n", NR, sum, complete, least, who, findings
            print "| Goal | wanted | measured | met |\n|---|---|---|---|"
            printf "| findings in fixed programs | 0 | %d%s | %s |\n\n", findings, where ? where ")" : "",
                findings ? "**no**" : "yes"
        }' "$1"
}

fixed_twins() {
    local failed=0 rows=$work/twins
    subjects | trial_lines portfolio 1 "$twin_schedules" "$twin_seconds" .fixed | run_trials >"$rows" || failed=1
    print_twins "$rows"
    return $failed
}
