#include "search/ddmin.h"

#include <stdlib.h>
#include <string.h>

struct ddmin {
    struct darn_switch *all; /* the list that fails */
    size_t count;
    struct darn_switch *part; /* what is tried: room for all */
    darn_ddmin_test *test;
    void *context;
};

/* The piece [from, to), or everything but it. */
static enum darn_ddmin_answer try_piece(struct ddmin *ddmin, size_t from, size_t to, bool without)
{
    size_t length = to - from;

    if (without) {
        memcpy(ddmin->part, ddmin->all, from * sizeof(*ddmin->part));
        memcpy(ddmin->part + from, ddmin->all + to, (ddmin->count - to) * sizeof(*ddmin->part));
        length = ddmin->count - length;
    } else {
        memcpy(ddmin->part, ddmin->all + from, length * sizeof(*ddmin->part));
    }
    return ddmin->test(ddmin->context, ddmin->part, length);
}

/* What was tried is the list from now on. */
static void accept(struct ddmin *ddmin, size_t from, size_t to, bool without)
{
    if (without) {
        memmove(ddmin->all + from, ddmin->all + to, (ddmin->count - to) * sizeof(*ddmin->all));
        ddmin->count -= to - from;
    } else {
        memmove(ddmin->all, ddmin->all + from, (to - from) * sizeof(*ddmin->all));
        ddmin->count = to - from;
    }
}

/* Cuts the list into `pieces` and tries each of them, or all but each. Stops at the first that
 * fails. */
static enum darn_ddmin_answer try_pieces(struct ddmin *ddmin, size_t pieces, bool without)
{
    for (size_t i = 0; i < pieces; i++) {
        size_t from = ddmin->count * i / pieces, to = ddmin->count * (i + 1) / pieces;
        enum darn_ddmin_answer answer = try_piece(ddmin, from, to, without);

        if (answer == DARN_DDMIN_FAILS)
            accept(ddmin, from, to, without);
        if (answer != DARN_DDMIN_PASSES)
            return answer;
    }
    return DARN_DDMIN_PASSES;
}

/* The algorithm ddmin of the paper, figure 6: a piece, else the complement of one, else smaller
 * pieces. With two pieces the complements are the pieces. */
static void reduce(struct ddmin *ddmin)
{
    size_t pieces = 2;

    while (ddmin->count > 1) {
        enum darn_ddmin_answer answer = try_pieces(ddmin, pieces, false);

        if (answer == DARN_DDMIN_FAILS) {
            pieces = 2;
            continue;
        }
        if (answer == DARN_DDMIN_PASSES && pieces > 2)
            answer = try_pieces(ddmin, pieces, true);
        if (answer == DARN_DDMIN_STOP)
            return;
        if (answer == DARN_DDMIN_FAILS)
            pieces--;
        else if (pieces == ddmin->count)
            return;
        else
            pieces = pieces * 2 < ddmin->count ? pieces * 2 : ddmin->count;
        if (pieces < 2)
            pieces = 2;
    }
}

size_t darn_ddmin(struct darn_switch *switches, size_t count, darn_ddmin_test *test, void *context)
{
    struct ddmin ddmin = {switches, count, NULL, test, context};

    if (!count)
        return 0;
    ddmin.part = malloc(count * sizeof(*ddmin.part));
    if (!ddmin.part)
        return count;
    /* Often no switch matters at all; asked first, it costs one run. */
    if (test(context, ddmin.part, 0) == DARN_DDMIN_FAILS)
        ddmin.count = 0;
    else
        reduce(&ddmin);
    free(ddmin.part);
    return ddmin.count;
}
