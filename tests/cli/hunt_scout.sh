#!/bin/bash
# needs: compiler
# Where there is no time for all trials of the predicted races, runs that try many at once say which come first.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

{
    echo '#include <pthread.h>'
    for i in {1..40}; do echo "static int cell$i;"; done
    for thread in one other; do
        echo "static void *$thread(void *unused) {"
        for i in {1..40}; do echo "    cell$i = cell$i + 1;"; done
        echo '    return unused; }'
    done
    cat <<'EOF2'
int main(int argc, char **argv)
{
    pthread_t threads[2];
    volatile unsigned work;
    for (unsigned i = 0; argc > 1 && i < 200000000; i++)
        work = i;
    pthread_create(&threads[0], NULL, one, argv);
    pthread_create(&threads[1], NULL, other, argv);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
EOF2
} >many.c
darn cc -O1 -g many.c -o many -pthread || exit 1

claim "many races and little time: what is met by runs that try many at once is tried first, and confirmed"
try timeout 120 darn hunt --jobs=1 --seconds=16 --no-explore --no-shrink -o few -- ./many long
expect_status 66
line=$(grep "races met in" <<<"$err") || fault "nobody has scouted: $err"
[[ $line =~ "prove: "([0-9]+)" of "([0-9]+)" races met in "([0-9]+)" runs that try many at once" ]] || fault "$line"
((BASH_REMATCH[1] > 0 && BASH_REMATCH[3] < BASH_REMATCH[2])) || fault "$line"
expect_has "$out" "[data-race, confirmed]"

claim "where there is time for all, none of that is needed"
try timeout 120 darn hunt --jobs=1 --seconds=20 --no-explore --no-shrink -o all -- ./many
expect_status 66
expect_lacks "$err" "try many at once"

finish
