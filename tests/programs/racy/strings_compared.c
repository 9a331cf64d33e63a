/*
 * claim: strings that are compared are read up to where they differ, and those of a limited length as far as that
 * build: -O0
 * build: -O2
 * run: x 20
 * expect: data-race on * at KEY and COMPARE
 * expect: data-race on * at LIMITED and COMPARE_LIMITED
 * expect: data-race on * at MEASURED and MEASURE
 * expect: data-race on * at COPIED and COPY
 * never: beyond
 */
#include <pthread.h>
#include <string.h>

#include "../unseen.h"

static char key[64] = "name=first", limited[64] = "name=first", measured[64] = "name=first", copied[64] = "name=first";
static char beyond[64] = "name=first";
static char wanted[64] = "name=first";

static void *change(void *arg)
{
    key[5] = 's';      /* race: KEY */
    limited[5] = 's';  /* race: LIMITED */
    measured[5] = 's'; /* race: MEASURED */
    copied[5] = 's';   /* race: COPIED */
    beyond[5] = 's';
    unseen_tell();
    return arg;
}

int main(void)
{
    char *volatile against = wanted, to[64];
    volatile size_t most = 8;
    int result = 0;
    pthread_t thread;

    if (pthread_create(&thread, NULL, change, NULL))
        return 2;
    unseen_wait();
    result += strcmp(key, against) > 0;            /* race: COMPARE */
    result += strncmp(limited, against, most) > 0; /* race: COMPARE_LIMITED */
    result += strnlen(measured, most) == 8;        /* race: MEASURE */
    strncpy(to, copied, most);                     /* race: COPY */
    result += to[5] == 's';
    most = 5;
    result += strncmp(beyond, against, most) == 0; /* up to there they are equal */
    wanted[0] = 'N';
    result += strcmp(beyond, against) > 0; /* the first byte decides */
    pthread_join(thread, NULL);
    return result != 6;
}
