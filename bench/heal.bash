# Healing: how often programs with a known bug still fail, whether any hangs, and what a build costs that is healed.
# shellcheck shell=bash disable=SC2004,SC2015,SC2034,SC2154 # the variables are those of bench/run and lib.bash

# Programs that fail by themselves in most runs, and such whose sections take part in circles of waits. -DFORCED closes the
# circle in every round.
failing=(lost_update check_use torn_copy crowded)
circular=(own_lock two_sections)
policies=(block lock yield priority)
# Those that keep everybody out of a section: no run may fail. The others only make it less likely.
strict=(block lock)
heal_flags="-O1 -g -pthread"

heal_names() {
    printf '%s\n' "${failing[@]}" "${circular[@]}" "${late[@]}"
}

# heal_repository NAME: of the ordinary build. The races of torn_copy are written down by their places.
heal_repository() {
    local name=$1 repository=$work/heal/$1.sections source=$root/tests/programs/heal/$1.c
    if [ "$name" != torn_copy ]; then
        "$build/bin/darn" sections infer -o "$repository" "$work/heal/$name.ordinary" >/dev/null
        return
    fi
    awk -v file="$source" '
        /^static void \*[a-z]*\(/ { name = $3; sub(/^\*/, "", name); sub(/\(.*/, "", name) }
        /race: (COPY|CHANGE) \*\// && !/^ \*/ {
            printf "%s  {\"variable\": \"shared\", \"function\": \"%s\", \"file\": \"%s\", \"kind\": \"race\",\n   \"entry\": \"%d:%d %s\"}",
                n++ ? ",\n" : "{\"darn-sections\": 1,\n \"sections\": [\n", name, file, NR, index($0, "memcpy"),
                /COPY/ ? "read" : "write"
        }
        END { print "\n ]}" }' "$source" >"$repository"
}

# build_healed NAME FLAGS: plain, ordinary, and with nothing but the sites of its repository.
build_healed() {
    local name=$1 source=$root/tests/programs/heal/$1.c to=$work/heal/$1
    # shellcheck disable=SC2086 # the flags are several words
    {
        ${cc[plain]} $heal_flags $2 "$source" -o "$to.plain" && ${cc[darn]} $heal_flags $2 "$source" -o "$to.ordinary" &&
            heal_repository "$name" && ${cc[darn]} --only="$to.sections" $heal_flags $2 "$source" -o "$to.only"
    } >"$work/logs/heal.$name" 2>&1 || {
        complain "$name does not build; see $work/logs/heal.$name"
        return 1
    }
}

# how_often NAME KIND POLICY [RUNS]: how its runs end, as often.c tells it. NAME may end in `@one`: on one processor.
how_often() {
    local name=${1%@one} options runs=$heal_runs wrapper=()
    options=$work/heal/$name.$2.sections
    [ -f "$options" ] || options=$work/heal/$name.sections
    options=heal=$options:heal_with=$3
    [ "$2" != plain ] || options=
    [ "$name" = "$1" ] || wrapper=(taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')")
    is_one_of "$3" "${strict[@]}" || runs=$heal_few
    runs=${4:-$runs}
    echo "$runs runs of $1, $2 $3" >&2
    "${wrapper[@]}" "$work/often" "$runs" 2 "$heal_limit" "DARN_OPTIONS=$options" "$work/heal/$name.$2"
}

# One line: NAME KIND POLICY SUCCEEDED FAILED KILLED HUNG MEDIAN MAXIMUM
measure_runs() {
    local name=$1 kind policy ends
    ends=$(how_often "$name" plain none) || return 1
    echo "$name plain none $ends"
    for kind in ordinary only; do
        for policy in "${policies[@]}"; do
            ends=$(how_often "$name" "$kind" "$policy") || return 1
            echo "$name $kind $policy $ends"
        done
    done
}

# print_runs COLUMN TITLE FILE: COLUMN is `failures` (failed or killed), `hung` or `median`.
print_runs() {
    awk -v column="$1" -v title="$2" -v policies="${policies[*]}" '
        function value() {
            if (column == "failures")
                return $5 + $6 ? sprintf("%d (%.2f %%)", $5 + $6, ($5 + $6) * 100 / ($4 + $5 + $6 + $7)) : "0"
            return column == "hung" ? $7 : sprintf("%.1f", $8)
        }
        $2 == "plain" { plain[$1] = value(); next }
        !(($1, $2) in seen) { seen[$1, $2] = 1; row[++rows] = $1 " " $2 }
        { cell[$1 " " $2 " " $3] = value() }
        END {
            count = split(policies, name, " ")
            line = "| " title " | build | not healed |"
            rule = "|---|---|---:|"
            for (i = 1; i <= count; i++) {
                line = line " " name[i] " |"
                rule = rule "---:|"
            }
            print line "\n" rule
            for (k = 1; k <= rows; k++) {
                split(row[k], part, " ")
                label = part[1]
                sub(/@one$/, ", one processor", label)
                line = "| " label " | " (part[2] == "only" ? "`--only`" : part[2]) " | " plain[part[1]] " |"
                for (i = 1; i <= count; i++)
                    line = line " " cell[row[k] " " name[i]] " |"
                print line
            }
            print ""
        }' "$3"
}

# is_clean COLUMN POLICIES FILE: it is 0 in all runs under these policies.
is_clean() {
    awk -v column="$1" -v policies=" $2 " '
        index(policies, " " $3 " ") && (column == "hung" ? $7 : $5 + $6 + $7) { bad = 1 }
        END { exit bad }' "$3"
}

count_failures() {
    local name failed=0 lines=$work/heal/failures
    : >"$lines"
    for name in $(chosen "${failing[@]}"); do
        build_healed "$name" "" && measure_runs "$name" >>"$lines" || failed=1
        [ "$name" != crowded ] || measure_runs "$name@one" >>"$lines" || failed=1
    done
    if [ -s "$lines" ]; then
        print_runs failures "Runs that fail, of $heal_few (\`block\`, \`lock\`: of $heal_runs)" "$lines"
        print_runs median "Median time of a run, ms" "$lines"
        is_clean failures "${strict[*]}" "$lines" || failed=1
    fi
    return $failed
}

count_hangs() {
    local name failed=0 lines=$work/heal/hangs
    : >"$lines"
    for name in $(chosen "${circular[@]}"); do
        build_healed "$name" -DFORCED && measure_runs "$name" >>"$lines" || failed=1
    done
    if [ -s "$lines" ]; then
        print_runs hung "Runs that hang, of $heal_few (\`block\`, \`lock\`: of $heal_runs)" "$lines"
        print_runs median "Median time of a run, ms" "$lines"
        is_clean hung "${policies[*]}" "$lines" || failed=1
    fi
    return $failed
}

# What may be shipped: the inferred sections of variables that threads really share. The run of the training shows which.
shipped_repository() {
    local name=$1 to=$work/repositories/$1 trace=$work/traces/$1.heal words
    read -ra words <<<"$(arguments "$name" "$train_size")"
    infer "$name" default || return 1
    {
        "$build/bin/darn" record --quiet -o "$trace" -- "$work/darn/$name" "${words[@]}" >/dev/null &&
            "$build/bin/darn" sections shared -o "$to.shipped" "$to.default" "$trace"
    } 2>"$work/logs/heal.$name" || {
        complain "it could not be found out what $name shares; see $work/logs/heal.$name"
        return 1
    }
    rm -f "$trace"
}

# keep_quiet REPOSITORY COUNTS: without the sections that somebody had to wait for.
keep_quiet() {
    sed -n 's/^{"rule":{"line":\([0-9]*\),.*"healed":0,"waited_us":0,.*"cycles":0,"expired":0,.*/\1/p' "$2" |
        awk '
            FILENAME == "-" { quiet[$1] = 1; next }
            FNR <= 2 { head = head $0 "\n" }
            /^  \{/ { is_kept = FNR in quiet }
            /^ \]/ { exit }
            FNR > 2 && is_kept { sub(/\},$/, "}"); text = text (/^  \{/ && text != "" ? ",\n" : text != "" ? "\n" : "") $0 }
            END { print text != "" ? head text "\n ]}" : "{\"darn-sections\": 1,\n \"sections\": []}" }' - "$1"
}

# drop_violated NAME: without the sections that are violated. Programs that are right violate some by design. Who does not
# have to wait any more may meet the next one: so several times, until nobody waits.
drop_violated() {
    local name=$1 to=$work/repositories/$1 words times
    read -ra words <<<"$(arguments "$name" "$size")"
    for times in 1 2 3 4 5 6 7 8; do
        rm -f "$work/heal/$name.counts"
        DARN_OPTIONS=heal=$to.shipped:heal_out=$work/heal/$name.counts "$work/shipped/$name" "${words[@]}" >/dev/null \
            2>"$work/logs/heal.$name" || return 1
        keep_quiet "$to.shipped" "$work/heal/$name.counts" >"$to.quiet" || return 1
        ! cmp -s "$to.quiet" "$to.shipped" || break
        mv "$to.quiet" "$to.shipped"
    done
    rm -f "$to.quiet"
}

# one_section NAME NUMBER: of the repository, that one alone.
one_section() {
    awk -v wanted="$2" '
        /^  \{/ { number++ }
        /^ \]/ { exit }
        NR <= 2 { print }
        NR > 2 && number == wanted { text = text $0 "\n" }
        END { sub(/,?\n$/, "", text); print text "\n ]}" }' "$work/repositories/$1.shipped" >"$work/repositories/$1.$2"
}

# build_only NAME VARIANT REPOSITORY
build_only() {
    local name=$1 variant=$2
    cc[$variant]=${cc[darn]} cxx[$variant]=${cxx[darn]} extra[$variant]="--only=$3"
    mkdir -p "$work/$variant"
    rm -f "$work/$variant/$name.key" # the repository is no part of the key
    build_one "$variant" "$name"
}

plan_healed() {
    cat <<END
tables user wall
variant plain plain $heal_rounds $limit plain
variant empty plain $heal_rounds $limit no section
variant shipped plain $heal_rounds $limit healed
variant idle plain $heal_rounds $limit the same, \`heal=\` not given
variant again plain $heal_rounds $limit plain, once more
goal empty user mean 1.01 \`darn cc --only\`, a repository without sections: user time to that of clang, geometric mean
goal shipped user mean 1.01 \`darn cc --only\`, healed, nothing violated: user time to that of clang, geometric mean
goal shipped user worst 1.01 \`darn cc --only\`, healed, nothing violated: user time to that of clang, worst
END
}

plan_healed_program() {
    local name=$1 command repository=$work/repositories/$1.shipped
    command="$name $(arguments "$name" "$size")"
    cat <<END
run $name plain $work/plain/$command
run $name empty DARN_OPTIONS=heal=$work/repositories/empty $work/empty/$command
run $name shipped DARN_OPTIONS=heal=$repository $work/shipped/$command
run $name idle $work/shipped/$command
run $name again $work/plain/$command
END
}

count_shipped() {
    grep -c '"variable"' "$work/repositories/$1.shipped"
}

# build_cost NAME: all that the comparison needs.
build_cost() {
    local name=$1 to=$work/repositories/$1.shipped
    make_ready "$name" plain darn && shipped_repository "$name" && build_only "$name" empty "$work/repositories/empty" &&
        build_only "$name" shipped "$to" && cp "$to" "$to.first" && drop_violated "$name" || return 1
    cmp -s "$to" "$to.first" || build_only "$name" shipped "$to"
}

# plan_alone NAME: each of its sections is healed alone. A row is called after the program and the variable.
plan_alone() {
    local name=$1 number label command
    command="$name $(arguments "$name" "$size")"
    for ((number = 1; number <= $(count_shipped "$name"); number++)); do
        one_section "$name" $number && build_only "$name" one$number "$work/repositories/$name.$number" || return 1
        label=$(sed -n 's/.*"variable": "\([^"]*\)".*/\1/p' "$work/repositories/$name.$number" | tr -d ' ')
        echo "run $name:$label#$number plain $work/plain/$command"
        echo "run $name:$label#$number one DARN_OPTIONS=heal=$work/repositories/$name.$number $work/one$number/$command"
    done
}

healing_one_by_one() {
    local name failed=0
    cat >"$work/plan" <<END
tables user
variant plain plain $heal_rounds $limit plain
variant one plain $heal_rounds $limit this section healed
END
    for name in $(chosen "${own[@]}"); do
        plan_alone "$name" >>"$work/plan" || failed=1
    done
    ! grep -q '^run' "$work/plan" || "$work/compare" "$work/plan" "$work/logs" || failed=1
    return $failed
}

# One line: NAME, how many sections, and the instructions of the plain build, of that without sections, and of the one with
# them. No heal=: the runtime cannot read files while callgrind watches.
count_healed() {
    local name=$1 variant words row count
    read -ra words <<<"$(arguments "$name" "$count_size")"
    [ "$name" != zstd ] || words=(--single-thread -q -3 -c "$(input 32 "$valgrind_size")")
    row="$name $(count_shipped "$name")"
    for variant in plain empty shipped; do
        count=$(instructions_with "" "$work/$variant/$name" "${words[@]}") || return 1
        row+=" $count"
    done
    echo "$row"
    echo "$row" >&2
}

print_healed() {
    awk '
        {
            line = sprintf("| %s | %d | %.1f M |", $1, $2, $3 / 1e6)
            for (i = 1; i <= 2; i++) {
                ratio = $(3 + i) / $3
                sum[i] += log(ratio)
                worst[i] = ratio > worst[i] ? ratio : worst[i]
                line = line sprintf(" %.3f |", ratio)
            }
            lines = lines line "\n"
        }
        END {
            if (!NR)
                exit
            print "| Instructions | sections | plain | no section | sections, not healed |"
            print "|---|---:|---:|---:|---:|"
            printf "%s", lines
            printf "| **geometric mean** | | | %.3f | %.3f |\n", exp(sum[1] / NR), exp(sum[2] / NR)
            printf "| **worst** | | | %.3f | %.3f |\n\n", worst[1], worst[2]
        }' "$1"
}

healing_costs() {
    local name failed=0 counted=()
    [ -n "$(chosen "${own[@]}" "${real[@]}")" ] || return 0
    printf '{"darn-sections": 1,\n "sections": []}\n' >"$work/repositories/empty"
    plan_healed >"$work/plan"
    for name in $(chosen "${own[@]}" "${real[@]}"); do
        plan_healed_program "$name" >>"$work/plan"
        build_cost "$name" || { failed=1 && continue; }
        ! is_one_of "$name" "${own[@]}" zstd || counted+=("$name")
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    two_at_a_time count_healed "${counted[@]}" >"$work/instructions" || failed=1
    print_healed "$work/instructions"
    return $failed
}

part_heal() {
    local failed=0
    mkdir -p "$work"/{heal,repositories,traces,empty,shipped} || return 1
    count_failures || failed=1
    count_hangs || failed=1
    count_late || failed=1
    healing_costs || failed=1
    healing_one_by_one || failed=1
    return $failed
}

about_heal() {
    cat <<END
First, programs that fail in most runs (\`tests/programs/heal\`), $heal_few runs of each, or $heal_runs under \`block\` and \`lock\`, two at a time: \`lost_update\` adds
without a lock and ends with a wrong sum, \`check_use\` crashes when a pointer is taken away between test and use, \`torn_copy\`
reads a structure that is being written. The threads of these are on processors of their own, and really are in each other's
way. \`crowded\` loses updates because threads are interrupted: it is run on all processors, and on one, as most were when the
policies \`yield\` and \`priority\` were proposed. They run as they are, and healed by each policy, in an ordinary build
(\`darn cc $heal_flags\`) and in one of \`darn cc --only\`. Under \`block\` and \`lock\` nothing may fail.

Second, programs whose healing alone would deadlock, in every round: in \`own_lock\` a section takes a mutex that is held by
whoever is kept out of the section, in \`two_sections\` two sections are nested in either order. A run that takes longer
than $heal_limit s hangs.

Third, programs of \`tests/programs/order\`, with a lifetime or an order that most runs violate (\`LATE=-1\`): each is healed by what
a hunt has found. The schedule that the hunt has kept is run healed, and then $heal_runs others.

Fourth, what \`darn cc --only\` costs while nothing is violated: user time to that of the plain build, the median of
$heal_rounds rounds. The repository is what \`darn sections infer\` finds, and of that what \`darn sections shared\` keeps
for a run with half of the work: sections of variables that threads share, not of data that one thread has at a time or hands
over. Those that somebody had to wait for in such a run are left out, too. It is more than somebody would ship who has one
bug to heal. \`no section\` is an empty repository: the compiler's code is that of the plain build then, instruction by instruction. \`plain, once
more\` is the plain build a second time: what the other columns differ by less than it does is noise. Instructions are counted by callgrind, with $count_size % of the work, and nothing is healed meanwhile.

Fifth, the same with each of these sections alone: what it costs to heal one bug depends on how often a thread comes by.
END
}
