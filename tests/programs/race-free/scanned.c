/*
 * claim: who has scanned what came through a pipe comes after who wrote it, whatever function reads it
 * build: -O0
 * build: -O2
 * run: x 5
 * run: --budget=max x 3
 * predict: hb x 1
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

static int there[2], plain[2];
static long handed, given;

static void *write_all(void *unused)
{
    struct iovec part = {"x", 1};

    handed = 1;
    if (write(there[1], "17 seventeen\n", 13) != 13)
        return unused;
    given = 1;
    if (pwritev2(plain[1], &part, 1, -1, 0) != 1)
        return unused;
    return unused;
}

int main(void)
{
    pthread_t thread;
    char word[16], byte;
    long sum = 0;
    int number;
    FILE *in;

    if (pipe(there) || pipe(plain) || !(in = fdopen(there[0], "r")))
        return 1;
    pthread_create(&thread, NULL, write_all, NULL);
    if (fscanf(in, "%d %15s", &number, word) != 2)
        return 2;
    sum += handed + number + word[0];
    if (preadv2(plain[0], &(struct iovec){&byte, 1}, 1, -1, 0) != 1)
        return 3;
    sum += given + byte;
    pthread_join(thread, NULL);
    return sum ? 0 : 4;
}
