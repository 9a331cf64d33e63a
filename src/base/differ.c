/*
 * Myers 1986, "An O(ND) Difference Algorithm", the greedy one: D, the number of items that differ,
 * is small here. For each d the furthest x of each diagonal is kept, to walk back.
 */
#include "base/differ.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define MOST 1000 /* differences */

/* How far one comes from (x, y) without a difference. */
static int slide(const struct darn_differ *at, int x, int y)
{
    while (x < (int)at->before && y < (int)at->after && at->is_same(at, (size_t)x, (size_t)y))
        x++, y++;
    return x;
}

/* Whether the best way to the diagonal k with d differences ends with an item that is added. */
static bool is_down(const int *furthest, int k, int d)
{
    return k == -d || (k != d && furthest[k - 1] < furthest[k + 1]);
}

/* furthest[d][d + 1 + k] is how far d differences come on the diagonal k. */
static void walk_back(struct darn_differ *at, int **furthest, int d)
{
    int x = (int)at->before, y = (int)at->after;

    for (; d > 0; d--) {
        const int *last = furthest[d - 1] + d;
        int k = x - y;
        bool down = is_down(last, k, d);
        int from = down ? last[k + 1] : last[k - 1];

        x = from;
        y = from - (down ? k + 1 : k - 1);
        if (down)
            at->added[y] = true;
        else
            at->gone[x] = true;
    }
}

/* One more difference on each diagonal. Whether that comes to the end of both lists. */
static bool go_on(const struct darn_differ *at, int **furthest, int d)
{
    int *here = furthest[d] + d + 1, n = (int)at->before, m = (int)at->after;
    bool done = false;

    for (int k = -d - 1; k <= d + 1; k++)
        here[k] = INT_MIN / 2;
    for (int k = -d; k <= d && !done; k += 2) {
        const int *last = d ? furthest[d - 1] + d : NULL;
        int x = !d ? 0 : is_down(last, k, d) ? last[k + 1] : last[k - 1] + 1;

        if (x < 0 || x > n || x - k < 0 || x - k > m)
            continue;
        here[k] = slide(at, x, x - k);
        done = here[k] == n && here[k] - k == m;
    }
    return done;
}

void darn_differ(struct darn_differ *differ)
{
    int **furthest = darn_need_zeroed(MOST + 1, sizeof(*furthest));
    bool done = false;
    int d;

    differ->gone = darn_need_zeroed(differ->before + 1, sizeof(bool));
    differ->added = darn_need_zeroed(differ->after + 1, sizeof(bool));
    for (d = 0; d <= MOST && !done; d++) {
        furthest[d] = darn_need_zeroed(2 * (size_t)d + 3, sizeof(int));
        done = go_on(differ, furthest, d);
    }
    if (done) {
        walk_back(differ, furthest, d - 1);
    } else {
        memset(differ->gone, 1, differ->before);
        memset(differ->added, 1, differ->after);
    }
    for (int i = 0; i < d; i++)
        free(furthest[i]);
    free(furthest);
}
