# Hand-made synchronization: what its recognition costs (Tian, figure 7), how many false alarms it
# saves (tables 2 and 3), and what is recognised (table 4).
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

plan_spins() {
    cat <<END
tables user wall
variant plain plain $few_rounds $limit plain
variant off plain 1 $limit darn, nothing recognised
variant on plain $few_rounds $limit darn
again cost on off recognition
goal cost user mean 1.2 recognition of spins: user time over the run without, geometric mean
END
}

# There is no way to switch it off, but a threshold that no spin reaches comes to the same.
plan_spin_program() {
    local command="$1 $size"
    cat <<END
run $1 plain $work/plain/$command
run $1 off DARN_OPTIONS=spin_threshold=1000000 $work/darn/$command
run $1 on $work/darn/$command
END
}

spin_overhead() {
    local name failed=0
    plan_spins >"$work/plan"
    for name in $(chosen "${handmade[@]}"); do
        make_ready "$name" plain darn || failed=1
        plan_spin_program "$name" >>"$work/plan"
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    return $failed
}

# The tests that can be had with volatile and with plain variables.
spin_tests() {
    grep -l -- '-DVAR=volatile' "$root"/tests/programs/spin/*.c* | sed 's|.*/||; s|\.[^.]*$||'
}

# source_of NAME: the file that has the marks.
source_of() {
    if is_one_of "$1" "${handmade[@]}"; then
        echo "$here/programs/$1.c"
    else
        echo "$root/tests/programs/spin/$1".c*
    fi
}

tally() {
    perl "$here/tally" "$1" "$2" "$(source_of "$3")" "$here/programs/byhand.h"
}

# build_with NAME VAR PROGRAM: with variables that are declared VAR (volatile, or nothing).
build_with() {
    local source compiler=${cc[darn]}
    source=$(source_of "$1")
    [ "${source##*.}" = c ] || compiler=${cxx[darn]}
    # shellcheck disable=SC2086 # the flags are several words
    $compiler $flags -DVAR="$2" "$source" -o "$3" >"$work/logs/spin.$1.build" 2>&1
}

# How many spins one learning run finds, with each threshold.
count_thresholds() {
    local name=$1 program=$2 threshold
    for threshold in 10 100 500; do
        rm -f "$work/spins/once"
        DARN_OPTIONS=learn=$work/spins/once:spin_threshold=$threshold timeout "$limit" \
            "$program" "$spin_size" >/dev/null 2>&1
        tally spins "$work/spins/once" "$name" | cut -d' ' -f2
    done
}

# What hb predicts: with nothing known of spins and atomics, with nothing of spins, and with all.
count_races() {
    local name=$1 trace=$2 options
    for options in "--no-sync --no-atomics" --no-sync ""; do
        rm -f "$work/spins/findings"
        # shellcheck disable=SC2086 # none, one or two options
        "$build/bin/darn" analyze --engine=hb $options --json="$work/spins/findings" "$trace" \
            >"$work/logs/spin.$name.analyze" 2>&1
        case $? in 0 | 66) ;; *) return 1 ;; esac
        tally races "$work/spins/findings" "$name"
    done
}

# A line of numbers: actual, found, others; found with 10, 100 and 500; then three times four of races.
# With VAR empty, the thresholds are left out.
count_subject() {
    local name=$1 var=$2 profile=$work/spins/profile row
    local trace=$work/traces/spin.$name.${var:-plain}.trace program=$work/spins/$name.${var:-plain}
    build_with "$name" "$var" "$program" || return 1
    rm -f "$profile" "$trace"
    "$build/bin/darn" record --quiet --max-size=256 --profile="$profile" -o "$trace" -- \
        "$program" "$spin_size" >"$work/logs/spin.$name.record" 2>&1 || return 1
    row=$(tally spins "$profile" "$name")
    [ -n "$var" ] && row+=" $(count_thresholds "$name" "$program" | paste -sd' ')" || row+=" 0 0 0"
    row+=" $(count_races "$name" "$trace" | paste -sd' ')"
    [ "$(wc -w <<<"$row")" = 18 ] && echo "$name ${var:-plain} $row"
}

# Tables 2 and 3 in one, and table 4, from the lines of count_subject.
print_spin_tables() {
    awk '
        function short(n) {
            return n < 10000 ? n : n < 9999500 ? sprintf("%.0fK", n / 1e3) : sprintf("%.1fM", n / 1e6)
        }
        function races(name, row,    i, line) {
            line = "| " name " |"
            for (i = 9; i <= 20; i += 2)
                line = line " " row[i] + 0 " / " short(row[i + 1] + 0) " |"
            print line
        }
        function spins(name, row) {
            printf "| %s | %d | %d | %d | %d | %d | %d |\n", name, row[3], row[6], row[7], row[8],
                row[4], row[5]
        }
        function sum(kind,    i) {
            for (i = 3; i <= NF; i++)
                all[kind, i] += $i
        }
        {
            sum($2)
            if ($2 == "volatile")
                lines[++count] = $0
        }
        END {
            print "| Races by `hb` | nothing known: synchronization | data | atomics known: synchronization | data | recognised: synchronization | data |"
            print "|---|---:|---:|---:|---:|---:|---:|"
            for (n = 1; n <= count; n++) {
                split(lines[n], row, " ")
                races(row[1], row)
            }
            for (i = 3; i <= 20; i++) {
                volatile_row[i] = all["volatile", i]
                plain_row[i] = all["plain", i]
            }
            races("**all of them**", volatile_row)
            races("**all, with plain variables**", plain_row)
            print ""
            print "| Spins | in the source | one run, threshold 10 | 100 | 500 | `darn record`, 10 | not in the list |"
            print "|---|---:|---:|---:|---:|---:|---:|"
            for (n = 1; n <= count; n++) {
                split(lines[n], row, " ")
                spins(row[1], row)
            }
            spins("**all of them**", volatile_row)
            print ""
            print "| Goal | wanted | measured | met |\n|---|---|---|---|"
            left = volatile_row[17] + volatile_row[19] + plain_row[17] + plain_row[19]
            printf "| `hb` with recognition: races on race-free programs | 0 | %d | %s |\n", left,
                left ? "**no**" : "yes"
            printf "| spins recognised by `darn record` | %d | %d | %s |\n",
                volatile_row[3] + plain_row[3], volatile_row[4] + plain_row[4],
                volatile_row[3] + plain_row[3] == volatile_row[4] + plain_row[4] ? "yes" : "**no**"
            print ""
        }' "$1"
}

part_spins() {
    local name var failed=0
    spin_overhead || failed=1
    : >"$work/spins/rows"
    rm -f "$work"/traces/spin.*
    # shellcheck disable=SC2046 # names have no blanks
    for name in $(chosen "${handmade[@]}" $(spin_tests)); do
        for var in volatile ""; do
            count_subject "$name" "$var" >>"$work/spins/rows" || {
                complain "$name (${var:-plain}) could not be recorded and analyzed; see $work/logs/spin.$name.*"
                failed=1
            }
        done
        echo "$name: $(tail -1 "$work/spins/rows")" >&2
    done
    print_spin_tables "$work/spins/rows"
    return $failed
}

about_spins() {
    cat <<END
Programs that synchronize by loops on variables: four kernels in the manner of SPLASH-2, and the shapes of
\`tests/programs/spin\`. All of them are right: whatever is reported is noise.

First, what the recognition costs in \`darn run\`, at the default budget. \`nothing recognised\` has a threshold
that no spin reaches, and has to report the races on what is waited for; \`recognition\` is the ratio of the two runs
of darn. (Tian, figure 7: 45 at first, 9 when only likely loads and stores are instrumented.)

Second, what \`hb\` predicts from one trace, as Tian's tables 2 and 3: distinct races / how often they were seen, on
the variables that are waited for, and on the data that they protect. \`nothing known\`: neither spins nor atomic
instructions order anything (\`--no-sync --no-atomics\`); \`atomics known\`: only spins do not (\`--no-sync\`);
\`recognised\`: as it is. The variables are volatile, but for the last row. The kernels do $spin_size % of their work.

Third, how many spins are recognised, as Tian's table 4: by one learning run, with each threshold, and by all
the runs of \`darn record\`, which holds back stores where a spin never had to wait. \`not in the list\` are pairs of a
read and a store that the source does not list.
END
}
