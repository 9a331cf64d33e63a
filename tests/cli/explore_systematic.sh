#!/bin/bash
# needs: compiler
# darn explore --strategy=chess and =states: when they say that nothing is left to try, nothing is. Each program fails
# in some order of two steps only, and these steps are about things that are no memory.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >orders.c <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2];
static int posted;

static void *say(void *word)
{
    assert(write(ends[1], word, 1) == 1);
    return NULL;
}

static void *say_two(void *words)
{
    say(words);
    say((char *)words + 1);
    return NULL;
}

/* Nobody comes between the two words. */
static void use_pipe(void)
{
    pthread_t threads[2];
    char words[4] = "";

    pthread_create(&threads[0], NULL, say_two, "ab");
    pthread_create(&threads[1], NULL, say, "c");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++)
        assert(read(ends[0], words + i, 1) == 1);
    assert(strcmp(words, "acb") != 0);
}

static void *look_twice(void *unused)
{
    char word;
    ssize_t before = read(ends[0], &word, 1), after = read(ends[0], &word, 1);

    (void)unused;
    return before < 0 && after == 1 ? "between" : NULL;
}

/* Nobody waits: a read of a pipe that is empty fails. */
static void use_nonblocking(void)
{
    pthread_t threads[2];
    void *seen;

    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pthread_create(&threads[0], NULL, look_twice, NULL);
    pthread_create(&threads[1], NULL, say, "a");
    pthread_join(threads[0], &seen);
    pthread_join(threads[1], NULL);
    assert(!seen);
}

static void tidy(void *stage)
{
    posted = *(volatile int *)stage;
}

static void *rest(void *unused)
{
    volatile int stage = 1;
    pthread_cleanup_push(tidy, (void *)&stage);
    usleep(1);
    stage = 2;
    usleep(1);
    stage = 3;
    usleep(1);
    pthread_cleanup_pop(0);
    return unused;
}

/* How far it comes depends on when it is cancelled. */
static void use_cancel(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, rest, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    assert(posted != STAGE);
}

int main(int argc, char **argv)
{
    (void)argc;
    assert(pipe(ends) == 0);
    if (strcmp(argv[1], "pipe") == 0)
        use_pipe();
    else if (strcmp(argv[1], "nonblocking") == 0)
        use_nonblocking();
    else
        use_cancel();
    return 0;
}
END

cat >late.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct job {
    long input[4];
    const char *volatile name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static struct job *job;
static int done;
static size_t length;

/* Touches the job after it has said that it is done. In every run in which no thread is interrupted it has ended
 * before main touches the job. */
static void *work(void *unused)
{
    struct job *mine = job;
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    length = strlen(mine->name);
    return unused;
}

int main(void)
{
    pthread_t thread;
    job = calloc(1, sizeof *job);
    job->name = "job";
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    job->name = NULL;
    free(job);
    pthread_join(thread, NULL);
    return length != 3;
}
END

for stage in 0 1 2 3; do
    darn cc -g -O1 -pthread -DSTAGE=$stage orders.c -o orders$stage || exit 1
done
darn cc -g -O1 -pthread late.c -o late || exit 1

for strategy in chess states; do
    claim "$strategy: a message comes between two of another thread"
    try darn explore --strategy=$strategy --jobs=1 --schedules=2000 -- ./orders0 pipe
    expect_status 66
    expect_has "$err" 'strcmp(words, "acb") != 0'

    claim "$strategy: a file that never waits is written between two looks at it"
    try darn explore --strategy=$strategy --jobs=1 --schedules=2000 -- ./orders0 nonblocking
    expect_status 66
    expect_has "$err" "!seen"

    for stage in 0 1 2 3; do
        claim "$strategy: a thread is cancelled before each of its sleeps, and after the last: $stage"
        try darn explore --strategy=$strategy --jobs=1 --schedules=2000 -- ./orders$stage cancel
        expect_status 66
        expect_has "$err" "posted != STAGE"
    done

    claim "$strategy: memory that a thread uses at its very end is shared with whoever does not wait for that"
    try darn explore --strategy=$strategy --jobs=1 --schedules=2000 -- ./late
    expect_status 66
    expect_has "$err" "SIGSEGV"
done

claim "the story names the thread that is cancelled"
try darn explore --strategy=chess --jobs=1 --schedules=2000 -- ./orders2 cancel
expect_has "$err" "cancel T1"

finish
