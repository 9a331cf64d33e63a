/*
 * claim: a bound that is read without its lock cuts less than it could, and the result is right
 * build: -O1 -fno-inline
 * args: tsp_4 4
 * args: tsp_8 8
 * expect tsp_4: none
 * expect tsp_8: benign tsp_solve on shortest, visited
 * expect tsp_8: benign tsp_next on count
 * expect tsp_8: nothing else
 * race tsp_8: shortest
 * luck: one worker may do all the work
 *
 * After `tsp` of von Praun & Gross: the travelling salesman by branch and bound. The workers begin
 * with a tour of their own, put its continuations into a common heap and solve what is in there. A
 * few towns are too little to be divided: one worker does it all.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3, MOST_TOWNS = 12, FEW_TOWNS = 5, MOST_TOURS = MOST_TOWNS * MOST_TOWNS };

struct tour {
    int length;
    int count; /* of towns, the first one is 0 */
    int towns[MOST_TOWNS];
};

static int towns, distances[MOST_TOWNS][MOST_TOWNS];

/* Of the tours to be continued. */
static struct {
    pthread_mutex_t lock;
    int count;
    struct tour tours[MOST_TOURS];
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Written with the lock held, but also read without. */
static struct {
    pthread_mutex_t lock;
    int shortest;
} bound = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    long visited;
} statistics = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_on(const struct tour *tour, int town)
{
    for (int i = 0; i < tour->count; i++)
        if (tour->towns[i] == town)
            return true;
    return false;
}

static struct tour with(const struct tour *tour, int town)
{
    struct tour next = *tour;

    next.length += distances[tour->towns[tour->count - 1]][town];
    next.towns[next.count++] = town;
    return next;
}

static void count_visit(void)
{
    pthread_mutex_lock(&statistics.lock);
    statistics.visited++;
    pthread_mutex_unlock(&statistics.lock);
}

/* Looks again under the lock: the bound never goes up. */
static void offer(int length)
{
    pthread_mutex_lock(&bound.lock);
    if (length < bound.shortest)
        bound.shortest = length;
    pthread_mutex_unlock(&bound.lock);
}

static void extend(const struct tour *tour)
{
    count_visit();
    if (tour->length >= bound.shortest)
        return;
    if (tour->count == towns) {
        int length = with(tour, 0).length;

        if (length < bound.shortest)
            offer(length);
        return;
    }
    for (int town = 1; town < towns; town++) {
        if (!is_on(tour, town)) {
            struct tour next = with(tour, town);

            extend(&next);
        }
    }
}

/* Benign: an old bound, which is longer, only means more work. */
void tsp_solve(const struct tour *tour)
{
    extend(tour);
}

static int tours_left(void)
{
    int count;

    pthread_mutex_lock(&heap.lock);
    count = heap.count;
    pthread_mutex_unlock(&heap.lock);
    return count;
}

/* Benign: after the look another worker may take the last one; then there is none. */
bool tsp_next(struct tour *tour)
{
    bool is_there;

    if (tours_left() == 0)
        return false;
    pthread_mutex_lock(&heap.lock);
    is_there = heap.count > 0;
    if (is_there)
        *tour = heap.tours[--heap.count];
    pthread_mutex_unlock(&heap.lock);
    return is_there;
}

/* All continuations at once. */
void tsp_divide(const struct tour *tour)
{
    pthread_mutex_lock(&heap.lock);
    for (int town = 1; town < towns; town++)
        if (!is_on(tour, town))
            heap.tours[heap.count++] = with(tour, town);
    pthread_mutex_unlock(&heap.lock);
}

/* Takes every WORKERS-th of the first towns, each in turn. */
static void *run_worker(void *arg)
{
    int number = (int)(long)arg;
    struct tour start = {.count = 1}, tour;

    if (towns <= FEW_TOWNS) {
        if (number == 0)
            tsp_solve(&start);
        while (tsp_next(&tour))
            tsp_solve(&tour);
        return NULL;
    }
    for (int town = 1 + number; town < towns; town += WORKERS) {
        tour = with(&start, town);
        tsp_divide(&tour);
        while (tsp_next(&tour))
            tsp_solve(&tour);
    }
    return NULL;
}

static void make_map(void)
{
    unsigned seed = 1;

    for (int i = 0; i < towns; i++) {
        for (int j = 0; j < i; j++) {
            seed = seed * 1103515245u + 12345u;
            distances[i][j] = distances[j][i] = 10 + (int)(seed >> 16) % 90;
        }
    }
}

/* All tours, one after the other. */
static int shortest_by_force(const struct tour *tour)
{
    int shortest = 1000000;

    if (tour->count == towns)
        return with(tour, 0).length;
    for (int town = 1; town < towns; town++) {
        if (!is_on(tour, town)) {
            struct tour next = with(tour, town);
            int length = shortest_by_force(&next);

            if (length < shortest)
                shortest = length;
        }
    }
    return shortest;
}

int main(int argc, char **argv)
{
    struct tour start = {.count = 1};
    pthread_t threads[WORKERS];
    int expected;

    towns = argc > 1 ? atoi(argv[1]) : 8;
    if (towns < 3 || towns > MOST_TOWNS)
        return 2;
    make_map();
    bound.shortest = 1000000;
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, run_worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    expected = shortest_by_force(&start);
    printf("%d towns: %d, should be %d\n", towns, bound.shortest, expected);
    return bound.shortest != expected;
}
