/*
 * claim: a flag that is waited for in a loop is seen, and soon, though its accesses are healed as races
 * build: -O0 -DVAR=volatile
 * build: -O2 -DVAR=volatile
 * build: -O1 -DVAR=_Atomic
 * alone: right
 * sections: races
 * race: WAIT read on turn at turn
 * race: TAKE write on turn at =
 * bound: 20000
 * heals: turn
 */
#include "crowd.h"

enum { ROUNDS = 500 };

static VAR int turn;
static long count; /* of whoever has the turn */

static void rounds(int mine)
{
    for (int i = 0; i < ROUNDS; i++) {
        int spins = 0;
        while (turn != mine) /* race: WAIT */
            if (++spins > 100)
                sched_yield();
        count++;
        turn = !mine; /* race: TAKE */
    }
}

static void *first(void *arg)
{
    crowd_begin();
    rounds(0);
    return arg;
}

static void *second(void *arg)
{
    crowd_begin();
    rounds(1);
    return arg;
}

int main(void)
{
    couple(first, second);
    return count != 2 * ROUNDS;
}
