#!/bin/bash
# needs: compiler
# What calls use and end in controlled runs: locks, streams, file descriptors and buffers. Each is a step; the end of an
# object beside its use is met, confirmed and replayed, and never where something orders the two.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >objects.c <<'EOF'
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode;
static int is_ordered;
static sem_t done;

static int file, ends[2];
static FILE *stream;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_mutex_t *block;
static char buffer[8];
static volatile char sink;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void *use(void *arg)
{
    if (is("write") && write(ends[1], "x", 1) != 1)
        arg = NULL;
    if (is("seek") && lseek(file, 0, SEEK_SET))
        arg = NULL;
    if (is("stream"))
        fflush(stream);
    if (is("mutex")) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    if (is("rwlock")) {
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
    }
    if (is("spin")) {
        pthread_spin_lock(&spin);
        pthread_spin_unlock(&spin);
    }
    if (is("cond"))
        pthread_cond_signal(&cond);
    if (is("semaphore"))
        sem_post(&semaphore);
    if (is("block")) {
        pthread_mutex_lock(block);
        pthread_mutex_unlock(block);
    }
    if (is("buffer") && read(file, buffer, sizeof(buffer)) < 0)
        arg = NULL;
    if (is_ordered)
        sem_post(&done);
    return arg;
}

static void *end(void *arg)
{
    if (is_ordered)
        sem_wait(&done);
    if (is("write"))
        close(ends[1]);
    if (is("seek"))
        close(file);
    if (is("stream"))
        fclose(stream);
    if (is("mutex"))
        pthread_mutex_destroy(&mutex);
    if (is("rwlock"))
        pthread_rwlock_destroy(&rwlock);
    if (is("spin"))
        pthread_spin_destroy(&spin);
    if (is("cond"))
        pthread_cond_destroy(&cond);
    if (is("semaphore"))
        sem_destroy(&semaphore);
    if (is("block"))
        free(block);
    if (is("buffer"))
        sink = buffer[1];
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    mode = argv[1];
    is_ordered = argc > 2;
    file = open("/dev/zero", O_RDONLY);
    stream = fopen("/dev/null", "w");
    block = calloc(1, sizeof(*block));
    if (file < 0 || pipe(ends) || !stream || !block)
        return 1;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, end, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
EOF

# word of the end, and of the use: as the report has them
words() {
    case $1 in
    write | seek) end="closes the file descriptor" use="uses the file descriptor" ;;
    stream) end="closes the stream" use="uses the stream" ;;
    mutex | cond | semaphore) end="destroys the " use="uses the " ;;
    rwlock) end="destroys the read-write lock" use="uses the read-write lock" ;;
    spin) end="destroys the spin lock" use="uses the spin lock" ;;
    block) end="frees the block" use="uses the object" ;;
    buffer) end="reads 1 byte" use="by read()" ;;
    esac
}

modes="write seek stream mutex rwlock spin cond semaphore block buffer"

for level in -O0 -O2; do
    darn cc $level -g objects.c -o objects -pthread || exit 1
    for mode in $modes; do
        claim "$mode: what is ended while it is used is met, and it replays ($level)"
        words $mode
        rm -rf met
        try darn explore --races --all --keep-going --schedules=100 --jobs=1 -o met -- ./objects $mode
        expect_status 66
        expect_has "$err" "[data-race, confirmed]"
        expect_has "$err" "$end"
        expect_has "$err" "$use"
        for i in met/*/schedule; do
            try darn replay "${i%/schedule}"
            expect_status 66
        done

        # Who uses a stream that is closed, or memory that is freed, may crash: the run that is recorded, too.
        if [ $mode != stream ] && [ $mode != block ]; then
            claim "$mode: a hunt confirms the prediction ($level)"
            rm -rf found
            try darn hunt --seconds=20 --no-explore -o found -- ./objects $mode
            expect_status 66
            expect_has "$err" "1 of 1 confirmed"
        fi

        claim "$mode: what is ordered is not met ($level)"
        try darn explore --races --schedules=500 -- ./objects $mode ordered
        expect_same "$mode $status" "$mode 0"
    done
done

claim "who has been woken uses the object no more, and two that use it do not end it"
cat >both.c <<'EOF'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int file, is_there;
static FILE *stream;

static void *first(void *arg)
{
    fputs("text", stream);
    if (lseek(file, 0, SEEK_SET))
        arg = NULL;
    pthread_mutex_lock(&mutex);
    while (!is_there)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&cond); /* who has signalled did so under the lock */
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        pthread_barrier_destroy(&barrier); /* who waited has been let go */
    return arg;
}

static void *second(void *arg)
{
    fputs("text", stream);
    if (lseek(file, 0, SEEK_SET))
        arg = NULL;
    pthread_mutex_lock(&mutex);
    is_there = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        pthread_barrier_destroy(&barrier);
    return arg;
}

int main(void)
{
    pthread_t threads[2];

    file = open("/dev/zero", O_RDONLY);
    stream = fopen("/dev/null", "w");
    if (file < 0 || !stream)
        return 1;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&mutex);
    fclose(stream);
    close(file);
    return 0;
}
EOF
darn cc -O1 -g both.c -o both -pthread || exit 1
for strategy in portfolio random pct; do
    try darn explore --races --strategy=$strategy --schedules=2000 -- ./both
    expect_same "$strategy $status" "$strategy 0"
done

finish
