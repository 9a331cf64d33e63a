/*
 * claim: tasks that are dealt out beforehand and results that are added under one lock are atomic
 * build: -O1 -fno-inline
 * expect: none
 *
 * In the place of `montecarlo` of the Java Grande benchmarks: paths of a price by chance. What a
 * path needs is its task and memory that nobody else has.
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 3 };

struct task {
    unsigned seed;
    int steps;
    double drift, spread;
};

struct result {
    int task;
    double last, highest;
};

static struct task *tasks;
static int task_count;

static struct {
    pthread_mutex_t lock; /* of all that follows */
    struct result *list;
    int count;
    double highest;
} results = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* From -1 to 1, in the middle more often. */
static double chance(unsigned *seed)
{
    double sum = 0;

    for (int i = 0; i < 4; i++) {
        *seed = *seed * 1103515245u + 12345u;
        sum += (double)(*seed >> 16) / 65536;
    }
    return sum / 2 - 1;
}

/* The prices of a path, in memory of its own. */
double *mc_path(const struct task *task)
{
    double *prices = calloc((size_t)task->steps + 1, sizeof(double));
    unsigned seed = task->seed;

    if (!prices)
        abort();
    prices[0] = 100;
    for (int i = 0; i < task->steps; i++)
        prices[i + 1] = prices[i] * exp(task->drift + task->spread * chance(&seed));
    return prices;
}

struct result mc_result(int number)
{
    double *prices = mc_path(&tasks[number]);
    struct result result = {number, prices[tasks[number].steps], 0};

    for (int i = 0; i <= tasks[number].steps; i++)
        result.highest = fmax(result.highest, prices[i]);
    free(prices);
    return result;
}

void mc_store(const struct result *result)
{
    pthread_mutex_lock(&results.lock);
    results.list[results.count++] = *result;
    results.highest = fmax(results.highest, result->highest);
    pthread_mutex_unlock(&results.lock);
}

static void *run_worker(void *arg)
{
    for (int i = (int)(long)arg; i < task_count; i += WORKERS) {
        struct result result = mc_result(i);

        mc_store(&result);
    }
    return NULL;
}

static void make_tasks(int count, int steps)
{
    tasks = calloc((size_t)count, sizeof(*tasks));
    results.list = calloc((size_t)count, sizeof(*results.list));
    if (!tasks || !results.list)
        abort();
    task_count = count;
    for (int i = 0; i < count; i++)
        tasks[i] = (struct task){(unsigned)i * 2654435761u + 1, steps, 0.0001, 0.01};
}

/* Each task has one result, and it is what it comes to when it is done again. */
static bool is_right(void)
{
    double highest = 0;
    int *seen = calloc((size_t)task_count, sizeof(int));
    bool right = seen && results.count == task_count;

    for (int i = 0; right && i < task_count; i++) {
        struct result again = mc_result(results.list[i].task);

        right = seen[again.task]++ == 0 && again.last == results.list[i].last;
        highest = fmax(highest, again.highest);
    }
    free(seen);
    return right && highest == results.highest;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 60, steps = argc > 2 ? atoi(argv[2]) : 50;
    pthread_t threads[WORKERS];
    bool right;

    if (count < 1 || steps < 1)
        return 2;
    make_tasks(count, steps);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, run_worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    right = is_right();
    printf("%s, highest price %.4f\n", right ? "right" : "wrong", results.highest);
    free(tasks);
    free(results.list);
    return !right;
}
