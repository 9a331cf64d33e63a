#!/bin/bash
# needs: compiler
# darn run --coverage and darn coverage: what threads do to each other is told once, with its place; what
# they do not do is not.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# The threads take turns by a semaphore, so that what happens is always the same.
cat >turns.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static int shared, own_of_main, read_only = 7, first_sum, second_sum;
static sem_t to_other, to_main;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static int ready;
static void other_reads(void)
{
    second_sum = shared + read_only;
}
static void other_nests(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}
static void *other(void *arg)
{
    sem_wait(&to_other);
    other_reads();
    other_nests();
    sem_post(&to_main);
    pthread_mutex_lock(&a);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&a);
    return arg;
}
static void main_writes(void)
{
    shared = 1;
    own_of_main += read_only;
    own_of_main += own_of_main;
}
static void main_waits(void)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 1000000;
    if (soon.tv_nsec >= 1000000000)
        soon.tv_sec++, soon.tv_nsec -= 1000000000;
    pthread_mutex_lock(&b);
    pthread_cond_timedwait(&never, &b, &soon);
    pthread_mutex_unlock(&b);
}
int main(void)
{
    pthread_t thread;
    sem_init(&to_other, 0, 0);
    sem_init(&to_main, 0, 0);
    pthread_cond_broadcast(&cond);
    pthread_create(&thread, NULL, other, NULL);
    main_writes();
    sem_post(&to_other);
    sem_wait(&to_main);
    main_waits();
    pthread_mutex_lock(&a);
    while (!ready)
        pthread_cond_wait(&cond, &a);
    pthread_mutex_unlock(&a);
    pthread_join(thread, NULL);
    first_sum = own_of_main + second_sum;
    return first_sum == 0;
}
END
darn cc -g -O1 turns.c -o turns -pthread

claim "what happens is told, and with its place"
try darn run --coverage=facts -- ./turns
expect_status 0
try darn coverage --list facts
expect_status 0
list=$out
has() { grep -Eq "$1" <<<"$list" || fault "no line '$1' in: $list"; }
lacks() { ! grep -Eq "$1" <<<"$list" || fault "a line '$1' in: $list"; }
has '^pair +turns.c:[0-9]+:[0-9]+ main_writes write shared, turns.c:[0-9]+:[0-9]+ other_reads read shared$'
has '^reads +.* main_writes write shared, .* other_reads read shared$'
has '^order +.* other_nests call, .* other_nests call$'
has '^free +.* other_nests call$'
has '^timeout +.* main_waits call$'
has '^missed +.* main call$'

claim "what one thread does by itself, and what nobody writes, makes no pair"
lacks 'own_of_main write|own_of_main read.*own_of_main'
lacks 'read_only'
lacks '^order.* main_waits call.*call'
lacks '^blocked.*other_nests'

claim "what several runs have told into a file is told once"
try darn run --coverage=facts -- ./turns
try darn coverage --list facts facts
expect_status 0
expect_same "$(grep -c '^order' <<<"$out")" 1
expect_same "$(sort <<<"$out" | uniq -d)" ""

claim "keys are those of the source: another build of it has the same"
{ printf 'int unused(int x)\n{\n    return x * 3 + 1;\n}\n'; } >more.c
darn cc -g -O1 more.c turns.c -o turns2 -pthread
try darn run --coverage=facts2 -- ./turns2
first=$(grep '^pair' facts | sort | head -1)
grep -qxF "$first" facts2 || fault "'$first' is not in the facts of the other build"
darn coverage --list facts | grep -E '^(order|missed|timeout)' | sort >calls
darn coverage --list facts2 | grep -E '^(order|missed|timeout)' | sort >calls2
expect_same "$(cat calls2)" "$(cat calls)"

claim "who has taken the same locks for long still tells what is new: who is near, and both orders of one call"
cat >calm.c <<'END'
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_inside, may_leave;
static void inner(void)
{
    pthread_mutex_lock(&c);
    pthread_mutex_unlock(&c);
}
static void under_a(void)
{
    pthread_mutex_lock(&a);
    inner();
    pthread_mutex_unlock(&a);
}
static void under_b(void)
{
    pthread_mutex_lock(&b);
    inner();
    pthread_mutex_unlock(&b);
}
static void stays(void)
{
    pthread_mutex_lock(&b);
    sem_post(&is_inside);
    sem_wait(&may_leave);
    pthread_mutex_unlock(&b);
}
static void passes(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
}
static void *other(void *arg)
{
    stays();
    return arg;
}
int main(void)
{
    pthread_t thread;
    sem_init(&is_inside, 0, 0);
    sem_init(&may_leave, 0, 0);
    for (int i = 0; i < 100000; i++)
        under_a();
    under_b();
    pthread_create(&thread, NULL, other, NULL);
    sem_wait(&is_inside);
    passes();
    sem_post(&may_leave);
    pthread_join(thread, NULL);
    return 0;
}
END
darn cc -g -O1 -fno-inline calm.c -o calm -pthread
try darn run --coverage=calm.facts -- ./calm
expect_status 0
try darn coverage --list calm.facts
list=$out
has '^order +calm.c:[0-9]+:[0-9]+ under_a call, calm.c:[0-9]+:[0-9]+ inner call$'
has '^order +calm.c:[0-9]+:[0-9]+ under_b call, calm.c:[0-9]+:[0-9]+ inner call$'
has '^near +calm.c:[0-9]+:[0-9]+ stays call, calm.c:[0-9]+:[0-9]+ passes call$'

claim "controlled runs tell of orders that no free run shows"
cat >racy.c <<'END'
#include <pthread.h>
int x;
static void *other(void *arg)
{
    x = 2;
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    x = 1;
    pthread_join(thread, NULL);
    return 0;
}
END
darn cc -g -O1 racy.c -o racy -pthread
DARN_OPTIONS=coverage=$PWD/controlled darn explore --schedules=50 --jobs=1 -- ./racy >/dev/null 2>&1
list=$(darn coverage --list controlled)
has '^pair +racy.c:5:[0-9]+ other write x, racy.c:12:[0-9]+ main write x$'
has '^pair +racy.c:12:[0-9]+ main write x, racy.c:5:[0-9]+ other write x$'

claim "a profile says which pairs are possible"
darn record --profile=profile -o trace -- ./racy >/dev/null 2>&1
try darn coverage --profile=profile controlled
expect_has "$out" "       2         4     50 %  in all"

claim "a function is one line, whatever it does"
darn record --profile=turns.profile -o trace -- ./turns >/dev/null 2>&1
try darn coverage --profile=turns.profile facts
expect_same "$(sed '1,/by the function/d' <<<"$out" | cut -c 30- | sort | uniq -d)" ""
expect_has "$out" " turns.c main_writes"

claim "a page shows it in the source: what was seen at a line, and what is possible and was not; no text of it is markup"
sed -i 's|^int x;|int x; /* a<b> \&amp; "c" */|' racy.c
try darn coverage --profile=profile --html=page.html controlled
expect_status 0
page=$(cat page.html)
expect_has "$page" 'int x; /* a&lt;b&gt; &amp;amp; &quot;c&quot; */'
expect_lacks "$page" '<b>&'
expect_has "$page" '</b>    x = 2;</summary>'
grep -q '^<li>other write x: right after racy.c:12:[0-9]* main write x in another thread</li>$' page.html || fault "no pair in: $page"
grep -q '^<li class="never">write x: never right after racy.c:5:[0-9]* write x in another thread</li>$' page.html ||
    fault "what was not seen is not in: $page"
expect_lacks "$page" '<svg'
try darn coverage --html=/nowhere/page.html controlled
expect_refused "darn coverage: --html: /nowhere/page.html cannot be written: No such file or directory"

claim "of several files it is said how much more others would show"
printf 'darn coverage 1\npair %016x %016x\n' 1 2 >one
printf 'darn coverage 1\npair %016x %016x\npair %016x %016x\n' 1 2 3 4 >two
try darn coverage --html=page.html one two
expect_has "$out" "       2  in all; 1 of them in one file only: a new one about every 2.0 files, 2 in all at least"
expect_has "$(cat page.html)" '<svg viewBox="0 0 460 170" role="img" aria-label="2 facts after 2 files">'
try darn coverage one one
expect_has "$out" "       1  in all; each was in more than one file: more of the same shows nothing new"
try darn coverage one
expect_lacks "$out" "in all"

claim "other files are refused"
try darn coverage racy.c
expect_refused "darn coverage: racy.c: this is no coverage; darn run --coverage=FILE writes one"
try darn coverage --profile=racy.c controlled
expect_status 2
try darn run --coverage=/nowhere/facts -- ./racy
expect_status 2

claim "a line that a killed run has left unfinished is none"
printf 'pair 12' >>facts
try darn coverage facts
expect_status 0

finish
