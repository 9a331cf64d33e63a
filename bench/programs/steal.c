/*
 * Work stealing with C11 atomics: a Chase-Lev deque per worker, solving the N-queens problem.
 *
 * Two workers. A task is a partial board; a worker pops from the bottom of its own deque, an idle
 * one steals from the top of another. Sequentially consistent operations stand where the usual
 * formulation has fences, because TSan does not know fences and would report the tasks.
 */
#include "bench.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { WORKERS = 2, CAPACITY = 1 << 12, MAX_QUEENS = 16, CUTOFF = 6 };

/* Bit sets of the columns and diagonals that are taken: the whole state of a search. */
struct task {
    uint32_t columns, left, right;
    uint32_t row;
    struct task *next_free;
};

struct worker {
    _Alignas(64) atomic_llong top;
    _Alignas(64) atomic_llong bottom;
    _Atomic(struct task *) slot[CAPACITY];
    struct task *free_tasks; /* of this worker alone: a stolen task goes to the thief's list */
    uint64_t solutions;
    uint64_t nodes[MAX_QUEENS]; /* visited, by row */
};

static struct worker worker[WORKERS];
static atomic_llong unfinished; /* tasks that were pushed and not yet carried out */
static uint32_t queens = 12;
static size_t repeats;

static void deque_push(struct worker *self, struct task *task)
{
    long long bottom = atomic_load_explicit(&self->bottom, memory_order_relaxed);

    atomic_store_explicit(&self->slot[bottom % CAPACITY], task, memory_order_relaxed);
    atomic_store_explicit(&self->bottom, bottom + 1, memory_order_release);
}

static struct task *deque_pop(struct worker *self)
{
    long long bottom = atomic_load_explicit(&self->bottom, memory_order_relaxed) - 1;
    long long top;
    struct task *task = NULL;

    atomic_store(&self->bottom, bottom);
    top = atomic_load(&self->top);
    if (top <= bottom)
        task = atomic_load_explicit(&self->slot[bottom % CAPACITY], memory_order_relaxed);
    if (top < bottom)
        return task;
    /* The last one: whoever moves the top has it. */
    if (top == bottom && !atomic_compare_exchange_strong(&self->top, &top, top + 1))
        task = NULL;
    atomic_store(&self->bottom, bottom + 1);
    return task;
}

static struct task *deque_steal(struct worker *victim)
{
    long long top = atomic_load(&victim->top);
    long long bottom = atomic_load(&victim->bottom);
    struct task *task;

    if (top >= bottom)
        return NULL;
    task = atomic_load_explicit(&victim->slot[top % CAPACITY], memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&victim->top, &top, top + 1))
        return NULL;
    return task;
}

static struct task *task_new(struct worker *self)
{
    struct task *task = self->free_tasks;

    if (task == NULL)
        return bench_alloc(sizeof *task);
    self->free_tasks = task->next_free;
    return task;
}

static void task_free(struct worker *self, struct task *task)
{
    task->next_free = self->free_tasks;
    self->free_tasks = task;
}

static uint64_t search(struct worker *self, uint32_t columns, uint32_t left, uint32_t right,
                       uint32_t row)
{
    uint32_t all = (1U << queens) - 1;
    uint64_t found = 0;

    self->nodes[row]++;
    for (uint32_t open = all & ~(columns | left | right); open != 0; open &= open - 1) {
        uint32_t bit = open & -open;
        if (row + 1 == queens)
            found++;
        else
            found += search(self, columns | bit, (left | bit) << 1, (right | bit) >> 1, row + 1);
    }
    return found;
}

/* Near the root a task becomes one task per open column; further down it is searched on the spot.
 */
static void carry_out(struct worker *self, struct task *task)
{
    uint32_t all = (1U << queens) - 1;

    if (task->row >= CUTOFF) {
        self->solutions += search(self, task->columns, task->left, task->right, task->row);
        return;
    }
    for (uint32_t open = all & ~(task->columns | task->left | task->right); open != 0;
         open &= open - 1) {
        uint32_t bit = open & -open;
        struct task *child = task_new(self);
        child->columns = task->columns | bit;
        child->left = (task->left | bit) << 1;
        child->right = (task->right | bit) >> 1;
        child->row = task->row + 1;
        atomic_fetch_add_explicit(&unfinished, 1, memory_order_relaxed);
        deque_push(self, child);
    }
}

/* Nothing to steal: yields at first, then sleeps, lest the time of an idle worker be what is
 * measured. */
static void idle(unsigned tries)
{
    static const struct timespec nap = {.tv_nsec = 50000};

    if (tries < 8)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

static void *work(void *arg)
{
    size_t index = (uintptr_t)arg;
    struct worker *self = &worker[index];
    unsigned tries = 0;

    while (atomic_load_explicit(&unfinished, memory_order_acquire) > 0) {
        struct task *task = deque_pop(self);
        if (task == NULL)
            task = deque_steal(&worker[(index + 1) % WORKERS]);
        if (task == NULL) {
            idle(tries++);
            continue;
        }
        tries = 0;
        carry_out(self, task);
        task_free(self, task);
        atomic_fetch_sub_explicit(&unfinished, 1, memory_order_release);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    repeats = bench_scaled(argc, argv, 80);
    for (size_t i = 0; i < repeats; i++) {
        deque_push(&worker[0], bench_alloc(sizeof(struct task)));
        atomic_fetch_add(&unfinished, 1);
        bench_threads(WORKERS, work);
    }
    for (size_t i = 0; i < WORKERS; i++) {
        sum += worker[i].solutions;
        for (size_t row = 0; row < MAX_QUEENS; row++)
            sum += bench_mix(row) * worker[i].nodes[row];
    }
    bench_print(sum);
    return 0;
}
