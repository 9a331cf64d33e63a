/*
 * claim: one byte of a megabyte that memset, memcpy or read touch is enough, whichever comes first
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 3
 * expect: data-race on * at SET and BYTE_OF_SET
 * expect: data-race on * at EARLY and SET_LATE
 * expect: data-race on * at COPY and BYTE_OF_SOURCE
 * expect: data-race on * at FILL and BYTE_OF_FILL
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../unseen.h"

enum { SIZE = 1 << 20, AT = 777001 };

static char *set, *late, *source, *copy, *filled;

static void *work(void *arg)
{
    int zero = open("/dev/zero", O_RDONLY);

    memset(set, 1, SIZE);       /* race: SET */
    late[AT] = 1;               /* race: EARLY */
    memcpy(copy, source, SIZE); /* race: COPY */
    if (read(zero, filled, SIZE) != SIZE) /* race: FILL */
        abort();
    unseen_tell();
    return arg;
}

int main(void)
{
    char **blocks[] = {&set, &late, &source, &copy, &filled};
    pthread_t thread;
    int result;

    for (int i = 0; i < 5; i++) {
        *blocks[i] = calloc(1, SIZE);
        if (!*blocks[i])
            return 2;
    }
    if (pthread_create(&thread, NULL, work, NULL))
        return 2;
    unseen_wait();
    result = set[AT] == 1;   /* race: BYTE_OF_SET */
    memset(late, 2, SIZE);   /* race: SET_LATE */
    source[AT] = 3;          /* race: BYTE_OF_SOURCE */
    result += !filled[AT];   /* race: BYTE_OF_FILL */
    pthread_join(thread, NULL);
    return result != 2;
}
