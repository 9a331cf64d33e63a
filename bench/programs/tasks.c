/*
 * In the manner of SPLASH-2's RADIOSITY: a queue of tasks behind a test-and-test-and-set lock.
 *
 * Three workers take tasks from one queue. A task that is large is split into two; a small one is
 * carried out. A worker that finds the queue empty waits for news: a task was added, or the last
 * one is done.
 *
 * spin: LOCK_WAIT from LOCK_GIVE
 * spin: IDLE from ADDED or DONE
 */
#include "bench.h"
#include "byhand.h"

enum { WORKERS = 3, CAPACITY = 1024, DEPTH = 14, STEPS = 1500, CELLS = 512 };

struct task {
    uint64_t seed;
    int depth;
};

struct partial {
    _Alignas(64) uint64_t sum;
    uint64_t cells[CELLS];
};

static struct task queue[CAPACITY];
static int queued;     /* tasks in the queue */
static int unfinished; /* tasks that were put there and not yet carried out */
static VAR unsigned news;
static struct hand_lock lock; /* whoever changes any of these has it */
static struct partial partial[WORKERS];
static size_t patches;

static void put(struct task task)
{
    hand_lock(&lock);
    queue[queued++] = task;
    unfinished++;
    news = news + 1; /* spin: ADDED */
    hand_unlock(&lock);
}

enum taken { NOTHING, A_TASK, ALL_DONE };

static enum taken take(struct task *task, unsigned *seen)
{
    enum taken taken = NOTHING;

    hand_lock(&lock);
    if (queued > 0) {
        taken = A_TASK;
        *task = queue[--queued];
    } else if (!unfinished) {
        taken = ALL_DONE;
    }
    *seen = news;
    hand_unlock(&lock);
    return taken;
}

static void finish(void)
{
    hand_lock(&lock);
    if (--unfinished == 0)
        news = news + 1; /* spin: DONE */
    hand_unlock(&lock);
}

static void carry_out(const struct task *task, struct partial *into)
{
    uint64_t random = bench_mix(task->seed);

    for (int i = 0; i < STEPS; i++) {
        uint64_t value = bench_random(&random);
        into->cells[value % CELLS] += value >> 32;
    }
    into->sum += random;
}

static void *work(void *arg)
{
    struct partial *into = &partial[(uintptr_t)arg];
    struct task task;
    enum taken taken;
    unsigned seen;

    while ((taken = take(&task, &seen)) != ALL_DONE) {
        if (taken == NOTHING) {
            while (news == seen) /* spin: IDLE */
                hand_wait();
            ORDER();
            continue;
        }
        if (task.depth < DEPTH && bench_mix(task.seed) % 16 != 0) {
            put((struct task){task.seed * 2, task.depth + 1});
            put((struct task){task.seed * 2 + 1, task.depth + 1});
        } else {
            carry_out(&task, into);
        }
        finish();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    patches = bench_scaled(argc, argv, 40);
    for (size_t i = 0; i < patches; i++)
        put((struct task){bench_mix(i), 0});
    bench_threads(WORKERS, work);
    for (size_t i = 0; i < WORKERS; i++) {
        sum += partial[i].sum;
        for (size_t j = 0; j < CELLS; j++)
            sum += bench_mix(j) * partial[i].cells[j];
    }
    bench_print(sum);
    return 0;
}
