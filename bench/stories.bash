# What a hunt tells of eleven programs with one bug each: how many findings, and how long their stories are.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

# Of tests/programs/explore: a lost update, a deadlock, a signal that comes too early, two variables, a lock that guards
# something else, memory that is gone or not there yet.
story_own=(account deadlock_transfer lost_wakeup_early multi_variable wrong_lock use_after_free lazy_init)
# In each a step is taken out of its lock, in a copy: the number of buffered blocks; a context that is given back; the
# number of threads of a server that have begun.
story_real=(pbzip2 zstd memcached)

story_names() {
    printf '%s\n' bank "${story_own[@]}" "${story_real[@]}"
}

# plant NAME: a copy of the sources, with the bug.
plant() {
    rm -rf "$told/sources" && cp -a "$work/sources" "$told/sources" || return 1
    case $1 in
    pbzip2)
        sed -i '/^outBuff \* outputBufferAdd(.*)$/,/^}/{/++NumBufferedBlocks;/d
            s/^\tsafe_mutex_unlock(OutMutex);/&\n\t++NumBufferedBlocks;/}' "$told/sources/pbzip2/pbzip2.cpp"
        ;;
    zstd)
        sed -i '/^static void ZSTDMT_releaseCCtx(/,/^}/{/poolMutex/d}' \
            "$told/sources/libzstd/lib/compress/zstdmt_compress.c"
        ;;
    memcached)
        sed -i '/^static void register_thread_initialized(/,/^}/{/init_lock/d}' "$told/sources/memcached/thread.c"
        ;;
    esac
}

# build_story NAME: the program becomes $told/NAME.
build_story() {
    local name=$1 file=$root/tests/programs/explore/$1.c
    [ "$name" != bank ] || file=$root/examples/bank.c
    if is_real "$name"; then
        fetch "$name" && plant "$name" &&
            "$here/real/build" "$name" "$told/sources" "$told" "${cc[darn]}" "${cxx[darn]}" "-O1 -g -pthread"
    else
        # shellcheck disable=SC2046 # the flags are several words
        "${cc[darn]}" $(header build "$file" | head -1) -g -pthread "$file" -o "$told/$name"
    fi >"$work/logs/build.story.$name" 2>&1 || {
        tail -5 "$work/logs/build.story.$name" >&2
        complain "$name does not build with its bug; see $work/logs/build.story.$name"
        return 1
    }
}

# Zeros: a run should be short, it comes a thousand times.
story_arguments() {
    case $1 in
    pbzip2) echo "-p2 -b1 -k -c $told/input" ;;
    zstd) echo "-q -T2 -1 -B512KiB -c $told/input" ;;
    memcached) echo "-u $(id -un) -l 127.0.0.1 -p $story_port -U 0 -t 2 -m 32" ;;
    esac
}

# The client of the server.
visit() {
    echo "for i in 1 2 3 4 5 6 7 8 9 10; do (exec 3<>/dev/tcp/127.0.0.1/$story_port) 2>/dev/null && break; sleep 0.1; done"
}

# NAME FINDINGS VARIANTS LINES: of what was confirmed, and of the longest story of a finding.
tell_story() {
    local name=$1 hunt=$told/$1.hunt seconds=$story_seconds confirmed client=()
    is_real "$name" || seconds=$hunt_seconds
    [ "$name" != memcached ] || client=(--with="bash -c '$(visit)'")
    rm -rf "$hunt"
    # shellcheck disable=SC2046 # several words
    "$build/bin/darn" hunt -o "$hunt" --seconds="$seconds" "${client[@]}" -- "$told/$name" $(story_arguments "$name") \
        >"$work/logs/story.$name" 2>&1
    confirmed=$(grep '"certainty":"confirmed"' "$hunt/index.jsonl" || true)
    echo "$name $(grep -c '"id"' <<<"$(grep -v '"variant_of"' <<<"$confirmed")") $(grep -c '"variant_of"' <<<"$confirmed")" \
        "$(wc -l "$hunt"/*/story.txt 2>/dev/null | awk '$2 != "total" && $1 > most { most = $1 } END { print most + 0 }')"
}

# print_stories ROWS: the table, and the two medians.
print_stories() {
    awk '
        function median(values, count,    i, j, t) {
            for (i = 2; i <= count; i++)
                for (j = i; j > 1 && values[j] < values[j - 1]; j--) {
                    t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
                }
            return (values[int((count + 1) / 2)] + values[int(count / 2) + 1]) / 2
        }
        BEGIN { print "| program | findings | variants | lines of the longest story |\n|---|---|---|---|" }
        { printf "| %s | %d | %d | %d |\n", $1, $2, $3, $4; findings[NR] = $2; lines[NR] = $4 }
        END {
            f = median(findings, NR); l = median(lines, NR)
            printf "\nThe medians: findings %g (the goal is 1: %s), lines %g (the goal is under 25: %s).\n", f,
                   f == 1 ? "met" : "missed", l, l < 25 ? "met" : "missed"
        }' "$1"
}

# shellcheck disable=SC2046 # names have no blanks
part_stories() {
    local name failed=0 rows=$work/stories.rows
    mkdir -p "$work/stories" || return 1
    told=$(cd "$work/stories" && pwd)
    story_port=$((20000 + RANDOM % 10000))
    head -c 3000000 /dev/zero >"$told/input"
    : >"$rows"
    for name in $(chosen $(story_names)); do
        echo "story of $name" >&2
        build_story "$name" && tell_story "$name" >>"$rows" || failed=1
    done
    print_stories "$rows"
    return $failed
}

about_stories() {
    cat <<END
What \`darn hunt\` tells of eleven programs with one bug each: \`examples/bank.c\`, seven of \`tests/programs/explore\`
(\`--seconds=$hunt_seconds\`), and three real programs in which a step was taken out of its lock (\`--seconds=$story_seconds\`), one of them a server
with a client beside it (\`--with\`); memcached has a race of its own, on its clock.
Findings are what was confirmed; variants have the same cause as one of these.
END
}
