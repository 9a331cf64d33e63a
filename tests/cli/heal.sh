#!/bin/bash
# needs: compiler
# darn heal: what it makes of findings, what it says after a run, and what it verifies.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >lost.c <<'EOF2'
#include <pthread.h>
#include <stdio.h>

static long balance;

static void __attribute__((noinline)) deposit(long amount)
{
    long old = balance;

    balance = old + amount;
}

static void *teller(void *none)
{
    for (int i = 0; i < 3; i++)
        deposit(1);
    return none;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, teller, NULL);
    pthread_create(&two, NULL, teller, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%ld\n", balance);
    return balance == 6 ? 5 : 1;
}
EOF2
cat >use.c <<'EOF2'
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
};
static struct node *shared;

static void *reader(void *sum)
{
    if (shared != NULL)
        *(int *)sum += shared->value;
    return NULL;
}

static void *writer(void *none)
{
    shared = NULL;
    return none;
}

int main(void)
{
    static int sum;
    pthread_t one, two;

    shared = calloc(1, sizeof(*shared));
    pthread_create(&one, NULL, reader, &sum);
    pthread_create(&two, NULL, writer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
EOF2
cat >dead.c <<'EOF2'
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *none)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return none;
}

static void *two(void *none)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return none;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, one, NULL);
    pthread_create(&t2, NULL, two, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
EOF2
try darn cc -O1 -g -pthread lost.c -o lost
expect_status 0
try darn cc -O0 -g -pthread use.c -o use
expect_status 0
try darn cc -O1 -g -pthread dead.c -o dead
expect_status 0

hunt() { try darn hunt --seconds=30 --jobs=1 --no-shrink "$@"; }

claim "wrong use is refused in one line"
try darn heal -- ./lost
expect_refused "darn heal: what is to be healed? --sections=FILE names a repository, --from=DIR what darn hunt has found"
try darn heal --sections=x
expect_refused "darn heal: no program; usage: darn heal [options] -- PROGRAM [arguments]"
try darn heal --sections=x --with=hope -- ./lost
expect_refused "darn heal: --with=hope: block, lock, yield or priority is needed"
try darn heal --sections=x --bound=0 -- ./lost
expect_status 2
try darn heal --sections=x --schedules=5 -- ./lost
expect_refused "darn heal: --schedules is for --verify, which is not given"
try darn heal --learn=x --write=y -- ./lost
expect_refused "darn heal: --learn goes with an ordinary run: without --write"
try darn heal --from=x --write=y --verify -- ./lost
expect_refused "darn heal: --write does not run the program, and --verify does"
try darn heal --sections=missing -- ./lost
expect_status 2
try darn heal --from=missing -- ./lost
expect_refused "darn heal: --from: missing: No such file or directory"
try darn heal --from=. -- ./lost
expect_refused "darn heal: --from: . is no directory of darn hunt: it has no finding"
try darn heal --sections=x -- ./missing
expect_refused "darn heal: ./missing: there is no such program"
echo '{"kind":"summary"}' >none.json
try darn heal --from=none.json -- ./lost
expect_refused "darn heal: --from: there is no finding in none.json"

claim "a repository is made of the race that a hunt has confirmed"
hunt --oracle='[ "$DARN_STATUS" = 5 ]' --no-explore -o lost.out -- ./lost
expect_status 66
try darn heal --from=lost.out/1 --write=lost.sections -- ./lost
expect_status 0
expect_same "$out" ""
expect_same "$err" "darn heal: lost.sections: 1 section and 0 deadlocks to be healed"
expect_same "$(cat lost.sections)" '{"darn-sections": 1,
 "sections": [
  {"variable": "balance", "function": "deposit", "file": "lost.c", "kind": "load-and-store",
   "entry": "8:16 read", "ends": ["10:13 write allow=read"]}
 ]}'
try darn sections check lost.sections ./lost
expect_status 0
try darn heal --from=lost.out --write=- -- ./lost
expect_status 0
expect_same "$out" "$(cat lost.sections)"
try darn heal --from=lost.out/index.jsonl --write=- -- ./lost
expect_same "$out" "$(cat lost.sections)"

claim "an access that is in no section becomes one of its own"
hunt --no-explore -o use.out -- ./use
expect_status 66
try darn heal --from=use.out --write=- -- ./use
expect_status 0
expect_has "$out" '"variable": "shared", "function": "writer", "file": "use.c", "kind": "race",
   "entry": "18:12 write"}'
expect_has "$out" '"function": "reader", "file": "use.c", "kind": "test-and-use"'

claim "a healed run ends as the program does, and is reported with a fix"
try darn heal --from=lost.out/1 --json=lost.json -- ./lost
expect_status 5
expect_same "$out" 6
expect_has "$err" "darn heal: ./lost, healed by block, waits of at most 100 ms"
expect_has "$err" "inside 6 times"
expect_has "$err" "fix: put both accesses under one lock, or make 'balance' _Atomic
darn fix lost.out/1 looks for a patch, and proves it"
expect_has "$(head -1 lost.json)" '{"heal":1,"with":"block","bound_ms":100,'
expect_has "$(cat lost.json)" '{"rule":{"line":3,"variable":"balance","function":"deposit","file":"lost.c","kind":"load-and-store","entry":"8:16 read","match":"exact","with":"block","entered":6,'
expect_has "$(cat lost.json)" '{"fix":{"variable":"balance",'

claim "nothing is left behind"
mkdir temporary
TMPDIR=$PWD/temporary try darn heal --sections=lost.sections --with=lock --bound=50 -- ./lost
expect_status 5
expect_has "$err" "healed by lock, waits of at most 50 ms"
expect_same "$(ls temporary)" ""

claim "the schedule of the bug does not show it any more, and no other one fails"
try darn heal --verify --schedules=300 --jobs=1 --json=verify.json --from=lost.out/1 -- ./lost
expect_status 0
expect_has "$err" "darn heal: the schedule of lost.out/1 ends well"
expect_has "$err" "darn heal: verified: 1 schedule that failed ends well now; of 300 others none fails and none deadlocks"
expect_has "$(cat verify.json)" '{"verify":{"verified":true,"schedules":300,"failures":0,"replays":1,"replays_failed":0,"known":1,'
try darn heal --verify --schedules=300 --jobs=1 --with=lock --from=use.out -- ./use
expect_status 0
expect_has "$err" "none fails and none deadlocks"
try darn heal --verify --schedules=300 --jobs=1 --oracle='[ "$DARN_STATUS" = 5 ]' --sections=lost.sections -- ./lost
expect_status 0
expect_has "$err" "darn heal: nothing failed, but no schedule is known that fails unhealed: of 300 schedules none fails"
expect_lacks "$err" "verified"

claim "what still fails is kept, and replayed as it ran: to yield keeps nobody out"
try darn heal --verify --schedules=100 --jobs=1 --with=yield -o kept --from=lost.out/1 -- ./lost
expect_status 1
expect_has "$err" "darn heal: the schedule of lost.out/1 still fails"
expect_has "$err" "darn heal: not verified: "
expect_has "$err" "; kept in kept"
[ -f kept/heal.sections ] || fault "the repository is not kept"
expect_has "$(grep -a '^environment' kept/1/schedule)" "heal_with='yield'"
try darn replay kept/1
expect_status 66

claim "a section that the program does not have is not healed, and that is said"
sed 's/deposit/withdraw/' lost.sections >other.sections
try darn heal --sections=other.sections -- ./lost
expect_has "$err" "  'balance' in withdraw (lost.c:8, load-and-store): not healed: "

try darn heal --verify --schedules=1 --jobs=1 --oracle=true --sections=other.sections -- ./lost
expect_has "$err" "darn heal: warning: 1 section of the repository cannot be healed: it is not in ./lost"

claim "a deadlock is healed, also in a program that darn has not compiled"
hunt --no-explore -o dead.out -- ./dead
expect_status 66
try darn heal --from=dead.out/1 --write=dead.sections -- ./dead
expect_same "$err" "darn heal: dead.sections: 0 sections and 1 deadlock to be healed"
try darn heal --from=dead.out/1 -- ./dead
expect_status 0
expect_has "$err" "  deadlock of 'a, b': threads came by 2 times"
expect_has "$err" "fix: take mutex"
try darn heal --verify --schedules=200 --jobs=1 --from=dead.out/1 -- ./dead
expect_status 0
expect_has "$err" "unhealed: deadlock"
expect_has "$err" "none fails and none deadlocks"

claim "sections need a program that darn has compiled"
clang-19 -g -O1 -pthread lost.c -o plain
try darn heal --sections=lost.sections -- ./plain
expect_has "$err" "darn heal: warning: ./plain was not compiled by darn cc: 1 section cannot be healed, only deadlocks"
try darn heal --from=lost.out/1 -- ./plain
expect_status 2
expect_has "$err" "there is nothing to heal it by: the program was not compiled by darn cc"
try darn heal --verify --sections=lost.sections -- ./plain
expect_refused "darn heal: --verify: ./plain was not compiled by darn; compile it with darn cc"

# A script in the place of the program writes an account as the runtime does.
cat >account <<'EOF2'
#!/bin/bash
file=${DARN_OPTIONS#*heal_out=}
file=${file%%:*}
file=${file//\'/}
rule() {
    echo "{\"rule\":{\"line\":$1,\"variable\":\"balance\",\"function\":\"deposit\",\"file\":\"lost.c\",\"kind\":\"load-and-store\",\"inside\":[\"synchronization\"],\"entry\":\"8:16 read\",\"match\":\"exact\",\"with\":\"block\",\"entered\":$2,\"healed\":$3,\"waited_us\":2500,\"longest_us\":1200,\"cycles\":$4,\"expired\":0,\"given_up\":false}}"
}
head='{"heal":1,"with":"lock","bound_ms":100,"pid":7,"wait_us":2500}'
{ echo "$head"; rule 3 10 4 1; } >"$file"
{ echo "$head"; rule 3 5 0 0; } >"$file.8"
exit 9
EOF2
chmod +x account

claim "what the processes of a run have counted is told together"
try darn heal --sections=lost.sections --with=lock -- ./account
expect_status 9
expect_same "$(head -6 .err)" "darn heal: ./account, healed by lock, waits of at most 100 ms, in 2 processes
  'balance' in deposit (lost.c:8, load-and-store)
    inside 15 times; waited 4 times: 5.0 ms in all, 1.2 ms at most
    healed by block, not lock: it has synchronization inside
    skipped: 1 wait that would have closed a circle with locks of the program
fix: hold one lock at lost.c:8 to 10, and wherever else 'balance' is used"

claim "a run that leaves no account is told"
printf '#!/bin/sh\nexit 4\n' >silent
chmod +x silent
try darn heal --sections=lost.sections -- ./silent
expect_status 4
expect_same "$err" "darn heal: warning: ./silent has left no account of what was healed"

finish
