/*
 * claim: phases between tree barriers are ordered by them (Tian, figure 4)
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: ARRIVAL from ARRIVE
 * spin: WAKEUP from WAKE_LEFT or WAKE_RIGHT
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <unistd.h>
#include "order.h"

/* With six threads both trees have two levels below the root. */
enum { THREADS = 6, WIDTH = 6, CELLS = THREADS * WIDTH, PHASES = 8, FAN_IN = 4 };

struct node {
    VAR bool parent_sense;
    VAR bool *parent;      /* the place in the parent's child_not_ready */
    VAR bool *children[2]; /* the parent_sense of those whom we wake */
    bool have_child[FAN_IN];
    VAR bool child_not_ready[FAN_IN];
};

static struct node nodes[THREADS];
static VAR bool nobody[3 * THREADS]; /* where the parent or the children of a node are missing */
static long grid[2][THREADS * WIDTH];
static long partial[THREADS], total;

static void build_trees(void)
{
    for (int i = 0; i < THREADS; i++) {
        nodes[i].parent =
            i ? &nodes[(i - 1) / FAN_IN].child_not_ready[(i - 1) % FAN_IN] : &nobody[i];
        for (int k = 0; k < FAN_IN; k++)
            nodes[i].child_not_ready[k] = nodes[i].have_child[k] = FAN_IN * i + k + 1 < THREADS;
        for (int k = 0; k < 2; k++)
            nodes[i].children[k] = 2 * i + k + 1 < THREADS ? &nodes[2 * i + k + 1].parent_sense
                                                           : &nobody[(k + 1) * THREADS + i];
    }
}

static void barrier(long self, bool *sense)
{
    struct node *me = &nodes[self];
    VAR bool *ready = me->child_not_ready;
    while (ready[0] || ready[1] || ready[2] || ready[3]) { /* spin: ARRIVAL */
        sched_yield();
        ORDER();
    }
    for (int i = 0; i < FAN_IN; i++)
        ready[i] = me->have_child[i];
    ORDER();
    *me->parent = false; /* spin: ARRIVE */
    if (self != 0) {
        while (me->parent_sense != *sense) { /* spin: WAKEUP */
            sched_yield();
            ORDER();
        }
    }
    ORDER();
    *me->children[0] = *sense; /* spin: WAKE_LEFT */
    *me->children[1] = *sense; /* spin: WAKE_RIGHT */
    *sense = !*sense;
}

/* Each cell becomes the sum of its two neighbours; the sum of all doubles with each phase. */
static void *work(void *arg)
{
    long self = (long)arg;
    bool sense = true;
    for (int phase = 0; phase < PHASES; phase++) {
        long *from = grid[phase % 2], *to = grid[(phase + 1) % 2];
        partial[self] = 0;
        for (int i = self * WIDTH; i < (self + 1) * WIDTH; i++) {
            to[i] = from[(i + 1) % CELLS] + from[(i + CELLS - 1) % CELLS];
            partial[self] += to[i];
        }
        if (phase % THREADS == self)
            usleep(300); /* long enough for the others to spin */
        barrier(self, &sense);
        if (self == 0) {
            total = 0;
            for (int i = 0; i < THREADS; i++)
                total += partial[i];
        }
        barrier(self, &sense);
        if (total != (long)CELLS << (phase + 1))
            return &total;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int wrong = 0;
    for (int i = 0; i < CELLS; i++)
        grid[0][i] = 1;
    build_trees();
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong |= result != NULL;
    }
    return wrong || total != (long)CELLS << PHASES;
}
