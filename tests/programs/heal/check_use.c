/*
 * claim: a pointer that is tested and used while another thread takes it away crashes most runs, and none under block
 *        and lock
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O1 -DSLOW
 * alone: fails
 * certain: block lock
 * fails: 139
 * runs: 20
 * heals: current
 */
#include "crowd.h"

struct setting {
    long value;
};

enum { USES = 300 };

static struct setting only = {7};
static struct setting *volatile current = &only;
static long sum;

static long use(long weight)
{
    if (current == NULL)
        return 0;
#ifdef SLOW
    usleep(20);
#endif
    dawdle(4000);
    return weight * current->value;
}

static void *uses(void *arg)
{
    crowd_begin_apart((long)arg);
    for (int i = 0; i < USES; i++)
        sum += use(3);
    return arg;
}

static void *replaces(void *arg)
{
    crowd_begin_apart((long)arg);
    for (int i = 0; i < USES; i++) {
        current = NULL;
        dawdle(1000 + i % 7 * 1000);
        current = &only;
        dawdle(1000 + i % 5 * 1000);
    }
    return arg;
}

int main(void)
{
    couple(uses, replaces);
    return sum % 21 != 0;
}
