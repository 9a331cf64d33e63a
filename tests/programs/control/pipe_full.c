/*
 * claim: a writer that waits because the pipe is full goes on when another thread has read
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096, BLOCKS = 40 }; /* more than the 64 KiB that a pipe holds */

static int ends[2];

static void *fill(void *arg)
{
    char block[BLOCK];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < BLOCKS; i++) {
        if (write(ends[1], block, sizeof block) != sizeof block)
            return &ends;
    }
    close(ends[1]);
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    char block[BLOCK];
    long sum = 0, length;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, fill, NULL);
    while ((length = read(ends[0], block, sizeof block)) > 0)
        sum += length;
    pthread_join(thread, &result);
    return result != NULL || sum != BLOCK * BLOCKS;
}
