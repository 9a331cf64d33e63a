/*
 * claim: twelve fibers on three threads, each of which goes on wherever there is room
 * build: -O2
 * modes: run max record hunt explore heal only
 * stdout: 12 fibers, 20 steps each
 */
#include "hostile.h"
#include <sys/mman.h>
#include <ucontext.h>

enum { WORKERS = 3, FIBERS = 12, STEPS = 20, STACK = 64 * 1024 };

struct fiber {
    ucontext_t context;
    struct fiber *next;
    long steps;
    int done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the queue, and of the total */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct fiber fibers[FIBERS], *first, **last = &first;
static int unfinished = FIBERS;
static long total;

static __thread ucontext_t loop; /* of this worker */
static __thread struct fiber *current;

/* Not inlined: the address of what belongs to a thread must not be kept over a switch. */
__attribute__((noinline)) static ucontext_t *my_loop(void)
{
    __asm__ volatile("");
    return &loop;
}

__attribute__((noinline)) static struct fiber **my_fiber(void)
{
    __asm__ volatile("");
    return &current;
}

static void yield(struct fiber *fiber)
{
    must(swapcontext(&fiber->context, my_loop()) == 0);
}

static void body(void)
{
    struct fiber *self = *my_fiber();
    long seen[STEPS];
    for (int i = 0; i < STEPS; i++) {
        seen[i] = i;
        self->steps++;
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
        yield(self);
    }
    for (int i = 0; i < STEPS; i++)
        must(seen[i] == i);
    self->done = 1;
    yield(self);
    go_wrong(__FILE__, __LINE__, "a fiber that has ended does not go on");
}

static void put(struct fiber *fiber)
{
    fiber->next = NULL;
    *last = fiber;
    last = &fiber->next;
    pthread_cond_signal(&changed);
}

static struct fiber *take(void)
{
    struct fiber *fiber = first;
    first = fiber->next;
    if (first == NULL)
        last = &first;
    return fiber;
}

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (first == NULL && unfinished > 0)
            pthread_cond_wait(&changed, &lock);
        if (first == NULL)
            break;
        struct fiber *fiber = take();
        pthread_mutex_unlock(&lock);
        current = fiber;
        must(swapcontext(&loop, &fiber->context) == 0);
        pthread_mutex_lock(&lock);
        if (!fiber->done)
            put(fiber);
        else if (--unfinished == 0)
            pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < FIBERS; i++) {
        struct fiber *fiber = &fibers[i];
        must(getcontext(&fiber->context) == 0);
        fiber->context.uc_stack.ss_size = STACK;
        fiber->context.uc_stack.ss_sp =
            mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(fiber->context.uc_stack.ss_sp != MAP_FAILED);
        makecontext(&fiber->context, body, 0);
        put(fiber);
    }
    for (int i = 0; i < WORKERS; i++)
        workers[i] = start(work, NULL);
    for (int i = 0; i < WORKERS; i++)
        join(workers[i]);
    for (int i = 0; i < FIBERS; i++)
        must(fibers[i].steps == STEPS);
    must(total == FIBERS * STEPS);
    say("12 fibers, 20 steps each");
    return 0;
}
