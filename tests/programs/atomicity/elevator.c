/*
 * claim: two lifts look for lit buttons, then claim them: not atomic, but they look again
 * build: -O1 -fno-inline
 * expect: benign lift_decide on lit
 * expect: benign controls_push on lit
 * expect: nothing else
 * luck: one lift may do all the work
 *
 * After `elevator` of von Praun & Gross. A person pushes buttons in each round on each floor, two
 * lifts serve them.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LIFTS = 2, MOST_FLOORS = 64 };

struct button {
    bool lit;
    int times_lit;
};

struct controls {
    pthread_mutex_t lock; /* of all that follows */
    struct button buttons[MOST_FLOORS];
    bool closed;
};

struct lift {
    struct controls *controls;
    int floors, floor, stops;
    int visits[MOST_FLOORS];
};

static bool is_lit(struct controls *controls, int floor)
{
    bool lit;

    pthread_mutex_lock(&controls->lock);
    lit = controls->buttons[floor].lit;
    pthread_mutex_unlock(&controls->lock);
    return lit;
}

static void light(struct controls *controls, int floor)
{
    pthread_mutex_lock(&controls->lock);
    controls->buttons[floor].lit = true;
    controls->buttons[floor].times_lit++;
    pthread_mutex_unlock(&controls->lock);
}

/* Whether this lift is the one that goes there: another one may have been faster. */
static bool claim(struct controls *controls, int floor)
{
    bool mine;

    pthread_mutex_lock(&controls->lock);
    mine = controls->buttons[floor].lit;
    if (mine)
        controls->buttons[floor].lit = false;
    pthread_mutex_unlock(&controls->lock);
    return mine;
}

/* Benign: a lift may come between the look and the push; the button is then lit for the next one.
 */
bool controls_push(struct controls *controls, int floor)
{
    if (is_lit(controls, floor))
        return false;
    light(controls, floor);
    return true;
}

void controls_close(struct controls *controls)
{
    pthread_mutex_lock(&controls->lock);
    controls->closed = true;
    pthread_mutex_unlock(&controls->lock);
}

bool controls_are_closed(struct controls *controls)
{
    bool closed;

    pthread_mutex_lock(&controls->lock);
    closed = controls->closed;
    pthread_mutex_unlock(&controls->lock);
    return closed;
}

struct controls *controls_create(void)
{
    struct controls *controls = calloc(1, sizeof(*controls));

    if (!controls)
        abort();
    pthread_mutex_init(&controls->lock, NULL);
    return controls;
}

void lift_place(struct lift *lift, int floor)
{
    lift->floor = floor;
}

/* Nobody else has the lift yet: without escape analysis this does not look atomic. */
struct lift *lift_create(struct controls *controls, int floors, int number)
{
    struct lift *lift = calloc(1, sizeof(*lift));

    if (!lift)
        abort();
    lift->controls = controls;
    lift->floors = floors;
    lift_place(lift, 0);
    lift_place(lift, number * (floors - 1) / (LIFTS - 1));
    return lift;
}

/* The nearest floor where someone waits and that no other lift goes to, or -1. Benign: what was lit
 * when the lift looked may be claimed by the other one, and then the lift looks further. */
int lift_decide(struct lift *lift)
{
    for (int distance = 0; distance < lift->floors; distance++) {
        int below = lift->floor - distance, above = lift->floor + distance;

        if (below >= 0 && is_lit(lift->controls, below) && claim(lift->controls, below))
            return below;
        if (above < lift->floors && is_lit(lift->controls, above) && claim(lift->controls, above))
            return above;
    }
    return -1;
}

void lift_move(struct lift *lift, int floor)
{
    lift_place(lift, floor);
    lift->visits[floor]++;
    lift->stops++;
}

static void *run_lift(void *arg)
{
    struct lift *lift = arg;

    for (;;) {
        bool closed = controls_are_closed(lift->controls);
        int floor = lift_decide(lift);

        if (floor >= 0)
            lift_move(lift, floor);
        else if (closed)
            return NULL;
        else
            usleep(100);
    }
}

/* Each time that a button was lit, one lift has come, and nobody waits any more. */
static bool is_right(struct controls *controls, struct lift **lifts, int floors)
{
    for (int floor = 0; floor < floors; floor++) {
        int visits = 0;

        for (int i = 0; i < LIFTS; i++)
            visits += lifts[i]->visits[floor];
        if (controls->buttons[floor].lit || visits == 0 ||
            visits != controls->buttons[floor].times_lit)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    int floors = argc > 1 ? atoi(argv[1]) : 8, rounds = argc > 2 ? atoi(argv[2]) : 6, pushed = 0;
    struct controls *controls = controls_create();
    struct lift *lifts[LIFTS];
    pthread_t threads[LIFTS];
    bool right;

    if (floors < 2 || floors > MOST_FLOORS || rounds < 1)
        return 2;
    for (int i = 0; i < LIFTS; i++)
        lifts[i] = lift_create(controls, floors, i);
    for (int i = 0; i < LIFTS; i++)
        pthread_create(&threads[i], NULL, run_lift, lifts[i]);
    for (int i = 0; i < rounds * floors; i++) {
        pushed += controls_push(controls, i * 5 % floors);
        if (i % floors == 0)
            usleep(200);
    }
    /* With a factor of 5 in the number of floors not all of them had their turn. */
    for (int floor = 0; floor < floors; floor++)
        pushed += controls_push(controls, floor);
    controls_close(controls);
    for (int i = 0; i < LIFTS; i++)
        pthread_join(threads[i], NULL);
    right = is_right(controls, lifts, floors);
    printf("%s\n", right ? "everybody was served" : "somebody was forgotten");
    for (int i = 0; i < LIFTS; i++)
        free(lifts[i]);
    free(controls);
    return !right || pushed == 0;
}
