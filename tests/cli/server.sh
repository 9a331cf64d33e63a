#!/bin/bash
# needs: compiler
# Servers, which do not end by themselves: a client command beside each run, and a signal after it.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >server.c <<'EOF2'
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static int served, last;
static volatile sig_atomic_t is_over;
static void end(int number)
{
    is_over = number;
}
static void *serve(void *of)
{
    int fd = (int)(long)of, before = served;
    char byte = 0;
    if (read(fd, &byte, 1) == 1)
        write(fd, &byte, 1);
    served = before + 1;
    if (served < last) /* somebody's was lost */
        abort();
    last = served;
    close(fd);
    return NULL;
}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *tick(void *unused)
{
    for (;;) {
        for (int i = 0; i < 20; i++) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
        usleep(1000);
    }
    return unused;
}
static struct sockaddr_un place = {.sun_family = AF_UNIX, .sun_path = "socket"};
static int talk(void)
{
    int fds[2];
    char byte = 'x';
    for (int i = 0; i < 2; i++) {
        fds[i] = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(fds[i], (struct sockaddr *)&place, sizeof(place)))
            return 1;
    }
    for (int i = 0; i < 2; i++)
        if (write(fds[i], &byte, 1) != 1)
            return 1;
    for (int i = 0; i < 2; i++)
        if (read(fds[i], &byte, 1) != 1 || read(fds[i], &byte, 1) != 0) /* all of it is done */
            return 1;
    return 0;
}
int main(int argc, char **argv)
{
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (argc > 1 && strcmp(argv[1], "talk") == 0)
        return talk();
    unlink(place.sun_path);
    if (bind(listener, (struct sockaddr *)&place, sizeof(place)) || listen(listener, 8))
        return 1;
    if (argc > 1 && strcmp(argv[1], "handles") == 0)
        sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    if (argc > 1 && strcmp(argv[1], "ticks") == 0) {
        pthread_t ticker;
        pthread_create(&ticker, NULL, tick, NULL);
    }
    for (;;) {
        /* One that looks after other things each second. */
        while (argc > 1 && strcmp(argv[1], "polls") == 0 &&
               poll(&(struct pollfd){.fd = listener, .events = POLLIN}, 1, 1000) == 0)
            ;
        int fd = accept(listener, NULL, NULL);
        pthread_t thread;
        if (fd < 0 && is_over)
            return 0;
        if (fd < 0 || pthread_create(&thread, NULL, serve, (void *)(long)fd))
            return 2;
        pthread_detach(thread);
    }
}
EOF2
darn cc -O1 -g server.c -o server -pthread || exit 1
cc -O1 server.c -o client -pthread || exit 1

claim "a server is hunted with a client: what was predicted of it is tried and confirmed, and replays"
# On a busy machine the first thread may have closed its connection before the second one is accepted: then they are in order.
for _ in {1..20}; do
    rm -rf hunted talked
    try timeout 120 darn hunt --jobs=2 --seconds=20 --no-explore --with='./client talk && : >>talked' -o hunted -- ./server
    [[ $err == *"predict: 0 possible data races"* ]] || break
done
expect_status 66
expect_has "$out" "warning: data race on 'served' [data-race, confirmed]"
expect_lacks "$err" "does not end"
expect_has "$err" "darn hunt: --with: one run at a time, as with --jobs=1"
[ -e talked ] || fault "the client was not run"
try timeout 60 darn replay --times=2 hunted/1
expect_has "$out" "2 of 2"

claim "a server that waits with a time-out replays, however soon or late its client comes"
late='sleep 0.0$(od -An -N1 -tu1 /dev/urandom | tr -d " "); ./client talk'
for _ in {1..20}; do
    rm -rf polled
    try timeout 120 darn hunt --seconds=20 --no-explore --no-shrink --trials=6 --with="$late" -o polled -- ./server polls
    [[ $err == *"predict: 0 possible data races"* ]] || break
done
expect_status 66
expect_has "$out" "warning: data race on 'served' [data-race, confirmed]"
try timeout 60 darn replay --times=10 polled/1
expect_has "$out" "10 of 10"

claim "a server is explored with a client; that the signal has ended it is no failure"
try timeout 120 darn explore --jobs=1 --schedules=5 --points=sync --with='./client talk' -- ./server
expect_status 0
expect_has "$err" "SUMMARY: darn: nothing found in 5 schedules"
expect_lacks "$err" "cut off"

claim "one that handles the signal ends as it does without darn: the call in which it waits is interrupted"
try timeout 120 darn explore --jobs=1 --schedules=5 --points=sync --with='./client talk' -- ./server handles
expect_status 0
expect_has "$err" "SUMMARY: darn: nothing found in 5 schedules"
expect_lacks "$err" "cut off"

claim "a thread that only sleeps and looks after things does not run ahead of the client"
rm -f talked
try timeout 120 darn explore --jobs=1 --schedules=3 --points=sync --with='./client talk && echo >>talked' -- ./server ticks
expect_status 0
expect_has "$err" "SUMMARY: darn: nothing found in 3 schedules"
expect_lacks "$err" "cut off"
[ "$(wc -l <talked)" -ge 3 ] || fault "the client was served in $(wc -l <talked) of 3 runs"

claim "without a client it is refused, and a signal needs one"
try timeout 60 darn explore --timeout=1 -- ./server
expect_status 2
expect_has "$err" "--with=CMD"
try darn explore --stop=INT -- ./server
expect_status 2
expect_has "$err" "with"

finish
