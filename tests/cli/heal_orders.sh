#!/bin/bash
# needs: compiler
# Failures that only a switch explains; memory that a thread uses which never ends; what a verification does not prove.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Two variables belong together, and are set in two critical sections.
cat >pair.c <<'EOF'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int length, room = 4;
static void *grow(void *unused)
{
    pthread_mutex_lock(&lock);
    length = 8;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    room = 8;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    int long_as, has;
    pthread_create(&thread, NULL, grow, NULL);
    pthread_mutex_lock(&lock);
    long_as = length;
    has = room;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(long_as <= has);
    return 0;
}
EOF
darn cc -g -O1 -pthread pair.c -o pair

claim "what one switch leads to is healed by keeping two critical sections together"
try darn hunt --no-explore --jobs=1 -o pair.out -- ./pair
expect_status 66
expect_has "$(cat pair.out/1/finding.json)" '"kind":"failure"'
try darn heal --from=pair.out/1 --write=pair.sections -- ./pair
expect_status 0
expect_has "$err" "1 order to be kept"
expect_has "$(cat pair.sections)" '{"until": "through", "locks": "lock"'
try darn heal --verify --schedules=300 --jobs=1 --json=verify.json --from=pair.out/1 -- ./pair
expect_status 0
expect_has "$err" "darn heal: verified: 1 schedule that failed ends well now; of 300 others none fails"

claim "a verification says what it does not prove"
expect_has "$err" "  not proved: that no other schedule fails: not all were tried"
expect_has "$err" "  not proved: other inputs"
expect_lacks "$err" "would have led to a failure here"
expect_has "$(cat verify.json)" '"known":1,"findings":1,"missing":0,"cut_off":0'

claim "a failure that no such switch leads to says so"
cp -r pair.out/1 other
sed -i '/^essential/d; /^instead/d' other/schedule
try darn heal --from=other --write=- -- ./pair
expect_status 2
expect_has "$err" "there is nothing to heal it by: no single switch is known that leads to it"

# The check and the use are atomic, and in two functions; no lock, no race, no section that the compiler sees.
cat >seats.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int seats = 1;
__attribute__((noinline)) static int has_seat(void)
{
    return atomic_load(&seats) > 0;
}
__attribute__((noinline)) static void take(void)
{
    atomic_fetch_sub(&seats, 1);
}
static void *book(void *unused)
{
    if (has_seat())
        take();
    return unused;
}
int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, book, NULL);
    pthread_create(&other, NULL, book, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(atomic_load(&seats) >= 0);
    return 0;
}
EOF
darn cc -g -O1 -pthread seats.c -o seats

claim "of a failure that nothing else explains the accesses around the switch become a section, across functions"
try darn hunt --seconds=5 --jobs=1 -o seats.out -- ./seats
expect_status 66
expect_has "$(cat seats.out/1/finding.json)" '"kind":"failure"'
try darn heal --from=seats.out --write=seats.sections -- ./seats
expect_status 0
expect_has "$(cat seats.sections)" '"entry": "7:12 read", "ends": ["11:5 update in take allow=read"]'
expect_has "$(cat seats.sections)" '"function": "has_seat", "file": "seats.c", "kind": "learned"'
try darn heal --verify --schedules=300 --jobs=1 --from=seats.out/1 -- ./seats
expect_status 0
expect_has "$err" "darn heal: verified: 1 schedule that failed ends well now; of 300 others none fails"

# A pointer and its length, without any lock. In a run of its own the first thread is slow in between.
cat >text.c <<'EOF'
#include <assert.h>
#include <darn.h>
#include <pthread.h>
#include <unistd.h>
static char small[4], large[16];
static char *volatile data = small;
static volatile int size = 4;
static int is_slow;
DARN_ATOMIC_FUNCTION static void set(char *to, int length)
{
    data = to;
    if (is_slow && length == 16)
        usleep(20000);
    size = length;
}
static void *grow(void *unused)
{
    set(large, 16);
    return unused;
}
static void *shrink(void *unused)
{
    if (is_slow)
        usleep(5000);
    set(small, 4);
    return unused;
}
int main(int count, char **arguments)
{
    pthread_t one, other;
    (void)arguments;
    is_slow = count > 1;
    pthread_create(&one, NULL, grow, NULL);
    pthread_create(&other, NULL, shrink, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert((data == large) == (size == 16));
    return 0;
}
EOF
darn cc --darn-functions -g -O1 -pthread text.c -o text

claim "two variables that belong together and have no lock are kept together by what a hunt has seen of them"
try darn hunt --seconds=5 --jobs=1 -o text.out -- ./text
expect_status 66
try darn heal --from=text.out --write=text.sections -- ./text
expect_status 0
expect_has "$(cat text.sections)" '"variable": "data, size", "function": "set", "file": "text.c", "kind": "together"'
expect_has "$(cat text.sections)" '"entry": "11:10 write", "ends": ["14:10 write allow=none"]'
try darn heal --verify --schedules=300 --jobs=1 --from=text.out -- ./text
expect_status 0
expect_has "$err" "others none fails"

claim "a verification says what it has varied, and that single accesses keep others out for longer than in the field"
cat >races.sections <<'EOF'
{"darn-sections": 1,
 "sections": [
  {"variable": "data", "function": "set", "file": "text.c", "kind": "race", "entry": "11:10 write"},
  {"variable": "size", "function": "set", "file": "text.c", "kind": "race", "entry": "14:10 write"}
 ]}
EOF
try darn heal --verify --schedules=300 --jobs=1 --json=races.json --sections=races.sections -- ./text
expect_status 0
expect_has "$err" " different orders, by switching threads at 2 accesses in the source and at calls"
expect_has "$err" "  not proved: that 2 races need no section: in these runs an access keeps others out until its thread's next step"
expect_has "$(cat races.json)" '"points":2,'

claim "it is that which heals them, in runs of their own, in either build"
cat >together.sections <<'EOF'
{"darn-sections": 1,
 "sections": [
  {"variable": "data, size", "function": "set", "file": "text.c", "kind": "together",
   "entry": "11:10 write", "ends": ["14:10 write"], "inside": ["unknown-calls"]}
 ]}
EOF
try darn sections check together.sections ./text
expect_status 0
darn cc --only=together.sections -g -O1 -pthread text.c -o text.only
failed=0
for run in 1 2 3 4 5 6 7 8 9 10; do
    ./text slow >/dev/null 2>&1 || failed=$((failed + 1))
done
[ $failed -gt 0 ] || fault "no run failed that was not healed"
for run in 1 2 3 4 5; do
    try env DARN_OPTIONS=heal=together.sections ./text slow
    expect_status 0
    try env DARN_OPTIONS=heal=together.sections ./text.only slow
    expect_status 0
done

# late: a worker that never ends uses the memory after it was freed.
cat >late.c <<'EOF'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct config {
    const char *name;
};
static struct config *config;
static sem_t go, done;
static volatile char seen;
static int is_late;
static void *work(void *unused)
{
    if (is_late)
        sem_wait(&go);
    seen = config->name[0];
    sem_post(&done);
    while (is_late)
        sem_wait(&go);
    return unused;
}
int main(int count, char **arguments)
{
    pthread_t thread;
    (void)arguments;
    is_late = count > 1;
    config = malloc(sizeof(*config));
    config->name = "a";
    sem_init(&go, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    free(config);
    sem_post(&go);
    sem_wait(&done);
    return 0;
}
EOF
darn cc -g -O1 -pthread late.c -o late

claim "memory that a thread uses which never ends is kept in quarantine"
try darn hunt --no-explore --no-shrink --jobs=1 -o late.out -- ./late
expect_status 66
try darn heal --from=late.out --write=late.sections -- ./late
expect_status 0
expect_has "$(cat late.sections)" '"ends": ['

claim "a repository is compared with another build, and written for it"
mkdir -p next changed
sed 's/^int main/\n\n&/' late.c >next/late.c
sed 's/^    free(config);/    config = realloc(config, 0);/' late.c >changed/late.c
darn cc -g -O1 -pthread next/late.c -o next/late
darn cc -g -O1 -pthread changed/late.c -o changed/late
try darn sections check late.sections late
expect_status 0
expect_has "$out" "0 deadlocks and 1 order of calls: 1 fit, 0 do not"
try darn heal --sections=late.sections --write=next.sections -- next/late
expect_status 0
try env DARN_OPTIONS=heal=next.sections:heal_bound=10:heal_out=next.account next/late late
expect_status 0
expect_has "$(cat next.account)" '"match":"moved"'
expect_has "$(cat next.account)" '"used":1'
try darn sections check late.sections changed/late
expect_status 1
expect_has "$err" "late.sections:4: the order is not kept: "
expect_has "$out" "0 deadlocks and 1 order of calls: 0 fit, 1 do not"

claim "memory that a thread uses which never ends is kept in quarantine"
try bash -c "./late late; exit \$?"
[ "$status" -ge 128 ] || fault "it does not crash by itself: $status"
try env DARN_OPTIONS=heal=late.sections:heal_bound=10:heal_out=late.account ./late late
expect_status 0
expect_has "$(cat late.account)" '"order":true'
expect_has "$(cat late.account)" '"expired":1'
expect_has "$(cat late.account)" '"used":1'

# soon: the user comes a moment later, and meanwhile the machine is too busy for all threads of the program.
cat >soon.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char *name;
static volatile char seen;
static void *work(void *soon)
{
    if (soon)
        usleep(300000);
    seen = name[0];
    return NULL;
}
int main(int count, char **arguments)
{
    pthread_t thread;
    name = malloc(8);
    name[0] = 'a';
    pthread_create(&thread, NULL, work, count > 1 ? arguments[1] : NULL);
    puts("frees");
    fflush(stdout);
    free(name);
    pthread_join(thread, NULL);
    return 0;
}
EOF
darn cc -g -O1 -pthread soon.c -o soon

claim "a busy machine does not use the bound of a wait up"
try darn hunt --no-explore --no-shrink --jobs=1 -o soon.out -- ./soon
expect_status 66
try darn heal --from=soon.out --write=soon.sections -- ./soon
expect_status 0
mkfifo said
for attempt in 1 2 3 4 5 6 7 8 9 10; do # the first thread itself may be late
    rm -f soon.account
    DARN_OPTIONS=heal=soon.sections:heal_bound=100:heal_out=soon.account ./soon soon >said &
    program=$!
    read -r word <said
    expect_same "$word" "frees"
    kill -STOP $program
    sleep 2
    kill -CONT $program
    wait $program || fault "it ends with $?"
    expect_has "$(cat soon.account)" '"expired":0'
    expect_has "$(cat soon.account)" '"used":0'
    ! grep -q '"avoided":1' soon.account || break
done
expect_has "$(cat soon.account)" '"avoided":1'

finish
