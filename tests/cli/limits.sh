#!/bin/bash
# needs: compiler
# Programs that may not do everything: files that may not grow, little address space, few files, no
# /proc, no standard files. With darn they do what they do without it.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Threads that all live at once; the file, its number and the program's output are compared.
cat >modest.c <<'EOF'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define THREADS 24
static long racy, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_there;
static void *work(void *arg)
{
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < 200; i++) {
        racy++;
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    char line[100];
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666), next;
    if (fd < 0)
        return 2;
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            return 3;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    next = open("/dev/null", O_RDONLY);
    snprintf(line, sizeof(line), "files %d and %d, sum %ld\n", fd, next, sum);
    if (argc == 2 && write(fd, line, strlen(line)) < 0)
        return 4;
    puts("done");
    fflush(stdout);
    return 5;
}
EOF
darn cc -O1 -g modest.c -o modest -pthread || exit 1
${DARN_CLANG:-clang-19} -O1 -g modest.c -o modest_plain -pthread || exit 1
darn sections infer -o modest.sections ./modest 2>/dev/null || exit 1


watching=('' 'darn run --noise=var:racy:1000/20 --' 'darn run --noise=var:racy:1000/20 --log-path=log --json=found.json --'
    'darn run --detect-deadlocks=1 --log-path=log --' 'darn heal --sections=modest.sections --')
recording=('darn record -o m.trace --' 'darn record --sync-only -o m.trace --')

# compare SHELL SETUP ARGUMENTS COMMAND...: the plain program, and the same by each command; what
# comes by stdout goes through a pipe, for that may be written where files may not.
compare() {
    local shell=$1 setup=$2 arguments=$3 command
    shift 3
    $shell -c "$setup; exec ./modest_plain data $arguments" 2>/dev/null | cat >plain.out
    expect_same "${PIPESTATUS[0]}" 5
    mv data plain.data
    for command; do
        timeout 60 $shell -c "$setup; exec $command ./modest data $arguments" 2>.err | cat >.out
        status=${PIPESTATUS[0]}
        [ "$status" = 5 ] || fault "$command: exit status $status: $(cat .err)"
        cmp -s data plain.data || fault "$command: the program's file is $(cat data)"
        cmp -s .out plain.out || fault "$command: the program's output is $(cat .out)"
        rm -f data log.* found.json m.trace
    done
}

claim "where files may not grow, our writes do not end the program"
compare bash 'ulimit -f 0' unwritten "${watching[@]}"
out=$(ulimit -f 0; darn record -o m.trace -- ./modest data unwritten 2>&1)
expect_same "$out" "darn: trace=$PWD/m.trace: files may not be large enough (ulimit -f)"

claim "nor do those to a log that nobody reads any more"
mkfifo fifo
exec 3<>fifo 4>fifo 3>&-
status=0
darn run --verbosity=1 --noise=var:racy:1000/20 -- ./modest data >.out 2>&4 || status=$?
expect_status 5
status=0
DARN_OPTIONS=verbosity=1:heal=$PWD/modest.sections ./modest data >.out 2>&4 || status=$?
expect_status 5
exec 4>&-

claim "where address space is scarce, there are as many threads as without us"
compare bash 'ulimit -v 250000' '' "${watching[@]}" "${recording[@]}"

claim "eight files are enough"
compare bash 'ulimit -n 8' '' "${watching[@]}" "${recording[@]}"

claim "standard files that are closed stay closed"
compare bash : '<&-' "${watching[@]}" "${recording[@]}"
compare bash : '<&- >&-' "${watching[@]}" "${recording[@]}"
compare bash : '<&- >&- 2>&-' "${watching[@]}" "${recording[@]}"

claim "no file of ours takes the place of a closed stderr"
darn explore --schedules=2 --jobs=1 --reset='readlink /proc/$PPID/fd/2 >place' -- ./modest data >/dev/null 2>&-
expect_same "$(cat place)" /dev/null

claim "nothing is needed from /proc"
if unshare -m true 2>/dev/null; then
    compare 'unshare -m bash' 'umount -l /proc' '' "${watching[@]}" "${recording[@]}"
else
    echo "not tried: a system without /proc (needs root)"
fi

finish
