/* More ways to wait, and more loops that do not: those that people write beside Tian's shapes. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

_Atomic int word;
volatile int turn, wants[2], number[8];
volatile unsigned head, tail;
unsigned sequence;
int data[4];
struct {
    volatile unsigned ready : 1, other : 3;
} bits;

/* Peterson's lock. */
/* site: peterson read volatile,spin 4 wants[] */
/* site: peterson read volatile,spin 4 turn */
void peterson(int i)
{
    while (wants[1 - i] && turn == 1 - i)
        ;
}

/* The bakery: the second number is one's own. */
/* site: bakery read volatile,spin 4 _ */
void bakery(int i)
{
    for (int j = 0; j < 8; j++) {
        while (number[j] != 0 && number[j] < number[i])
            ;
    }
}

/* site: ring_is_full read volatile,spin 4 head */
/* site: ring_is_full read volatile,spin 4 tail */
void ring_is_full(void)
{
    while ((head + 1) % 16 == tail)
        ;
}

/* site: bit_field read volatile,spin _ _ */
void bit_field(void)
{
    while (!bits.ready)
        ;
}

/* Waits while there is nothing, and tries to take one otherwise. */
/* site: semaphore read atomic,spin,acquires 4 *s */
/* site: semaphore update atomic,acquires,releases 4 *s */
void semaphore(_Atomic unsigned *s)
{
    for (;;) {
        unsigned v = atomic_load(s);

        if (v == 0) {
            sched_yield();
            continue;
        }
        if (atomic_compare_exchange_weak(s, &v, v - 1))
            return;
    }
}

/* The first read waits for the writer; the second one only says that it was in vain. */
/* site: sequence_lock read atomic,spin,acquires 4 sequence */
/* site: sequence_lock read atomic 4 sequence */
/* site: sequence_lock read - 4 data[0] */
/* site: sequence_lock write - 4 *out */
/* site: sequence_lock fence atomic,acquires 0 - */
void sequence_lock(int *out)
{
    unsigned s;

    do {
        while ((s = __atomic_load_n(&sequence, __ATOMIC_ACQUIRE)) & 1)
            ;
        *out = data[0];
        atomic_thread_fence(memory_order_acquire);
    } while (__atomic_load_n(&sequence, __ATOMIC_RELAXED) != s);
}

/* A sleep that is taken up again after a signal, and the time. */
/* site: with_time read atomic,spin,acquires 4 word */
/* may: with_time _ range _ _ */
/* may: with_time write - 8 _ */
/* may: with_time read - _ _ */
int with_time(long end)
{
    struct timespec now, pause = {0, 1000}, rest;

    while (!atomic_load(&word)) {
        if (clock_gettime(CLOCK_MONOTONIC, &now) == 0 && now.tv_sec > end)
            return 0;
        while (nanosleep(&pause, &rest) == -1 && errno == EINTR)
            pause = rest;
    }
    return 1;
}

/* Spins a while on a copy of its own, as test-and-test-and-set with a limit does. */
/* site: with_limit update atomic,acquires 4 word */
/* site: with_limit read atomic,spin 4 word */
void with_limit(void)
{
    while (atomic_exchange_explicit(&word, 1, memory_order_acquire)) {
        for (int i = 0; i < 100; i++) {
            if (!atomic_load_explicit(&word, memory_order_relaxed))
                break;
        }
    }
}

/* site: by_goto read volatile,spin 4 turn */
void by_goto(void)
{
again:
    if (!turn) {
        sched_yield();
        goto again;
    }
}

/* No spin loops from here on. */

/* none: try_lock */
void try_lock(pthread_mutex_t *m)
{
    while (pthread_mutex_trylock(m))
        sched_yield();
}

struct node {
    struct node *next;
    int value;
};

/* site: push read atomic,acquires 8 *top */
/* site: push update atomic,acquires,releases 8 *top */
/* site: push write - 8 n->next */
/* may: push read - 8 n->next */
void push(struct node *_Atomic *top, struct node *n)
{
    n->next = atomic_load(top);
    while (!atomic_compare_exchange_weak(top, &n->next, n))
        ;
}

/* site: pop read atomic,acquires 8 *top */
/* site: pop update atomic,acquires,releases 8 *top */
/* site: pop read - 8 n->next */
struct node *pop(struct node *_Atomic *top)
{
    struct node *n = atomic_load(top);

    while (n && !atomic_compare_exchange_weak(top, &n, n->next))
        ;
    return n;
}

/* site: maximum read atomic,acquires 4 word */
/* site: maximum update atomic,acquires,releases 4 word */
void maximum(int v)
{
    int old = word;

    while (old < v && !atomic_compare_exchange_weak(&word, &old, v))
        ;
}

/* A sum that can be stopped. */
/* site: stoppable read volatile 4 turn */
/* site: stoppable read - 4 v[] */
int stoppable(const int *v, int n)
{
    int sum = 0;

    for (int i = 0; i < n && !turn; i++)
        sum += v[i];
    return sum;
}

int rows, columns, enabled, cells[64];

/* Rounds without columns do nothing but read: they count, and wait for nobody. */
/* site: nested read - 4 rows */
/* site: nested read - 4 columns */
/* may: nested read - 4 cells[] */
/* site: nested write - 4 cells[] */
/* may: nested write - 16 cells[] */
void nested(void)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++)
            cells[8 * i + j] = i + j;
    }
}

/* site: if_enabled read - 4 enabled */
/* site at -O0 -O1 -O2: if_enabled write - 4 cells[] */
/* may: if_enabled write - 16 cells[] */
void if_enabled(void)
{
    for (int i = 0; i < 64; i++) {
        if (enabled)
            cells[i] = i;
    }
}

/* site: collatz read volatile 4 turn */
int collatz(int x)
{
    while (x != 1 && x < turn)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return x;
}

/* site: count_down read volatile 4 turn */
int count_down(int n)
{
    int sum = 0;

    while (n--)
        sum += turn;
    return sum;
}

/* site: probe read volatile 4 _ */
int probe(int h, int key)
{
    while (number[h & 7] && number[h & 7] != key)
        h++;
    return h;
}

/* site: has_effects read volatile 4 turn */
/* site: has_effects write volatile 4 head */
void has_effects(void)
{
    while (!turn)
        head = 1;
}

/* Some rounds do nothing but to go on: through the text, */
/* site: rolling read - 1 text[] */
/* site: rolling write - 4 found[] */
int rolling(const unsigned char *text, int n, int *found)
{
    unsigned hash = 0, count = 0;

    for (int i = 0; i < n; i++) {
        hash = 2 * hash + text[i];
        if (__builtin_expect((hash & 63) == 0, 0))
            found[count++] = i;
    }
    return (int)count;
}

/* or backwards, if it is equal, */
/* site: backwards read - 4 v[] */
int backwards(const int *v, int at)
{
    int same = 1;

    while (same && at > 0) {
        same = v[at] == v[at - 1];
        if (same)
            at--;
    }
    return at;
}

/* or over what is not equal, */
/* site: runs read - 4 _ */
/* site: runs write - 4 _ */
void runs(int *first, int *last)
{
    int *b, value;

    for (int *a = last - 1; first < a; a = b) {
        for (value = *a, b = a - 1; first <= b && *b == value; --b)
            *b = ~*b;
    }
}

void print(int);

/* or past what is not wanted. */
/* site: verbose read volatile 4 turn */
void verbose(int n)
{
    int i = 0;

    while (i < n) {
        i++;
        if (!turn)
            continue;
        print(i);
    }
}
