# Healing of lifetimes and orders: how often programs fail that a hunt has been through, as they are and healed.
# shellcheck shell=bash disable=SC2154,SC2034 # the variables are those of bench/run, heal.bash and lib.bash

late=(descriptor_closed destructor flag_unset handle_unset log_closed queue_freed registry_freed result_early result_plain
    room_destroyed signal_early unmapped)

# build_late NAME: plain, ordinary, and with nothing but what is healed; the repository is what a hunt has found in good runs.
# An order is known by the name of the module: both builds have the same.
build_late() {
    local name=$1 order=$root/tests/programs/order to=$work/heal/$1 kind brought=()
    local source=$order/$1.c
    local -x LATE=1
    rm -rf "$to.out" "$to.suspects" "$work/heal/only/$name"
    for kind in ordinary only; do
        mkdir -p "$work/heal/$kind" && ln -sf "$work/heal/$kind/$name" "$to.$kind" || return 1
    done
    {
        ${cc[plain]} $heal_flags -I"$order" "$source" -o "$to.plain" &&
            ${cc[darn]} $heal_flags -I"$order" "$source" -o "$work/heal/ordinary/$name" || return 1
        "$build/bin/darn" predict --runs=1 --suspects="$to.suspects" -- "$to.ordinary"
        [ ! -s "$to.suspects" ] || brought=(--predicted="$to.suspects")
        "$build/bin/darn" hunt --no-explore --no-shrink --seconds=60 --jobs=1 "${brought[@]}" -o "$to.out" -- "$to.ordinary"
        "$build/bin/darn" heal --from="$to.out/1" --write="$to.sections" -- "$to.ordinary" &&
            ${cc[darn]} --only="$to.sections" $heal_flags -I"$order" "$source" -o "$work/heal/only/$name" &&
            "$build/bin/darn" heal --sections="$to.sections" --write="$to.only.sections" -- "$to.only"
    } >"$work/logs/heal.$name" 2>&1 || {
        complain "$name is not healed; see $work/logs/heal.$name"
        return 1
    }
}

# verify_late NAME: whether the schedule that failed ends well, with others.
verify_late() {
    LATE=1 "$build/bin/darn" heal --verify --schedules=300 --jobs=1 --from="$work/heal/$1.out/1" -- "$work/heal/$1.ordinary" \
        >>"$work/logs/heal.$1" 2>&1
}

# One line: NAME VERIFIED, and of each of plain, ordinary and only: RUNS FAILED-OR-KILLED HUNG.
measure_late() {
    local name=$1 kind runs ends verified=no row heal_limit=$heal_limit
    local patient=$heal_limit
    ! verify_late "$name" || verified=yes
    row="$name $verified"
    for kind in plain ordinary only; do
        case $kind in
        plain) runs=10 heal_limit=2 ;; # some of them hang
        ordinary) runs=$heal_few heal_limit=$patient ;;
        only) runs=$heal_runs ;;
        esac
        ends=$(LATE=-1 how_often "$name" $kind block "$runs") || return 1
        row+=" $(awk '{ print $1 + $2 + $3 + $4, $2 + $3, $4 }' <<<"$ends")"
    done
    echo "$row"
}

print_late() {
    awk '
        BEGIN {
            print "| Runs that fail or hang | the schedule that failed, and 300 others | not healed | healed, ordinary build | healed, `--only` |"
            print "|---|---|---:|---:|---:|"
        }
        { printf "| %s | %s | %d of %d | %d of %d | %d of %d |\n", $1, $2 == "yes" ? "end well" : "**do not all end well**",
            $4 + $5, $3, $7 + $8, $6, $10 + $11, $9 }
        END { print "" }' "$1"
}

count_late() {
    local name failed=0 lines=$work/heal/late
    : >"$lines"
    # Each hunt has one job.
    # shellcheck disable=SC2046 # names have no blanks
    two_at_a_time build_late $(chosen "${late[@]}") || failed=1
    for name in $(chosen "${late[@]}"); do
        [ ! -x "$work/heal/only/$name" ] || measure_late "$name" >>"$lines" || failed=1
    done
    if [ -s "$lines" ]; then
        print_late "$lines"
        awk '$2 != "yes" || $7 + $8 + $10 + $11 { bad = 1 } END { exit bad }' "$lines" || failed=1
    fi
    return $failed
}
