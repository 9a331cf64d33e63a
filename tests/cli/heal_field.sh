#!/bin/bash
# needs: compiler
# A healed program in the field: on a signal it reads its repository again, and writes its account.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Does its work once for each line of stdin; with an argument its locks are taken in a circle.
cat >field.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long balance;
static void *deposit(void *unused)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 1000; i++) {
        balance += 1;
        __asm__ volatile("" ::: "memory");
    }
    pthread_barrier_wait(&barrier);
    return unused;
}
static void *one_way(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}
static void *other_way(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}
static void both(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
int main(int count, char **arguments)
{
    char line[16];
    (void)arguments;
    pthread_barrier_init(&barrier, NULL, 2);
    if (count > 1)
        both(one_way, other_way);
    while (fgets(line, sizeof(line), stdin)) {
        both(deposit, deposit);
        both(one_way, one_way);
        puts("done");
        fflush(stdout);
    }
    return 0;
}
EOF

# count_of KEY: of the account so far.
count_of() { grep -o "\"$1\":[0-9]*" account.now | head -1 | sed 's/.*://'; }

# has_said N: the program has read its repository N times.
has_said() { [ "$(grep -c 'read again' said)" -ge "$1" ]; }

# The account is written after that line: until it has another inode.
signal() {
    local before
    before=$(stat -c %i account.now 2>/dev/null)
    times=$((times + 1))
    kill -USR2 "$program"
    await has_said $times || fault "no answer to signal $times: $(cat said)"
    await is_new "$before" || fault "no account after signal $times"
}
is_new() { [ -e account.now ] && [ "$(stat -c %i account.now)" != "$1" ]; }

work() {
    local word=
    echo go >&"$to"
    read -r -t 30 word <&"$from"
    expect_same "$word" "done"
}

# What one more round counts: sections that were entered, and gates that were passed.
expect_healed() {
    local entered passed
    entered=$(count_of entered) passed=$(count_of passed)
    work
    signal
    expect_same "$(($(count_of entered) - entered)) $(($(count_of passed) - passed))" "$1"
}

claim "several repositories are taken together"
cat >two.c <<'EOF'
#include <pthread.h>
static pthread_barrier_t barrier;
static long one, two;
static void *add(void *unused)
{
    pthread_barrier_wait(&barrier);
    one += 1;
    two += 1;
    pthread_barrier_wait(&barrier);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
EOF
for name in one two; do
    printf '{"darn-sections": 1,\n "sections": [\n  "two.c:7-8 %s"\n ]}\n' $name >$name.sections
done
# healed_of: how often its sections were entered, of each variable.
healed_of() { sed -n 's/.*"variable":"\([a-z]*\)".*"match":"\([a-z]*\)".*"entered":\([0-9]*\).*/\1 \2 \3/p' two.json | sort | paste -sd' '; }
try darn cc --only=one.sections,two.sections -g -O1 -pthread two.c -o two
expect_status 0
try darn heal --sections=one.sections,two.sections --json=two.json -- ./two
expect_status 0
expect_same "$(healed_of)" "one exact 2 two exact 2"
try darn heal --sections=one.sections,two.sections,one.sections --write=three.sections -- ./two
expect_has "$err" "three.sections: 2 sections and 0 deadlocks to be healed"
try env DARN_ONLY="$PWD/two.sections" darn cc --only=one.sections -g -O1 -pthread two.c -o two
rm -f two.json
try darn heal --sections=three.sections --json=two.json -- ./two
expect_same "$(healed_of)" "one exact 2 two none 0"
try darn cc --only=one.sections,missing.sections -g -O1 -pthread two.c -o two
expect_refused "darn cc: missing.sections: cannot be read: No such file or directory"

claim "what is to be healed is found"
mkdir -p ordinary only
darn cc -g -O1 -pthread field.c -o ordinary/field
try darn sections infer -o inferred ordinary/field
expect_status 0
try darn hunt --no-explore --no-shrink --seconds=30 --jobs=1 -o out -- ordinary/field cross
expect_status 66
try darn heal --sections=inferred --from=out/1 --write=known -- ordinary/field
expect_status 0
darn cc --only=known -g -O1 -pthread field.c -o only/field

claim "a program under a link is known by its own name, as where it runs"
ln -s only/field linked
darn heal --sections=known --write=direct.sections -- only/field 2>/dev/null
try darn heal --sections=known --write=linked.sections -- ./linked
expect_status 0
expect_has "$(cat linked.sections)" '"moved": true'
expect_same "$(cat linked.sections)" "$(cat direct.sections)"

for build in ordinary only; do
    claim "$build: a signal shows what was healed so far"
    darn heal --sections=known --write=field.sections -- $build/field 2>/dev/null
    cp field.sections whole
    rm -f account account.now said
    times=0
    coproc server { DARN_OPTIONS=heal=field.sections:heal_signal=12:heal_out=account exec $build/field 2>said; }
    # The names are gone when it has ended.
    # shellcheck disable=SC2154 # coproc sets them
    program=$server_PID to=${server[1]} from=${server[0]}
    work
    signal
    expect_same "$(count_of entered) $(count_of passed)" "2000 2"
    expect_has "$(cat said)" "darn: heal: field.sections was read again: 1 by accesses and 1 by calls are healed"
    expect_healed "2000 2"

    claim "$build: an empty repository turns healing off, and the old one on again"
    echo '{"darn-sections": 1, "sections": []}' >field.sections
    signal
    expect_has "$(cat said)" "was read again: 0 by accesses and 0 by calls are healed"
    expect_healed "0 0"
    cp whole field.sections
    signal
    expect_healed "2000 2"

    claim "$build: a broken repository changes nothing"
    echo '{"darn-' >field.sections
    signal
    expect_has "$(cat said)" "field.sections cannot be read again: all is healed as before"
    expect_healed "2000 2"
    rm field.sections
    signal
    expect_healed "2000 2"
    exec {to}>&-
    wait "$program" || fault "it ends with $?"
    expect_has "$(cat account)" '"heal":1'
done

finish
