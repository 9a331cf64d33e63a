/* Each line that ends in a comment writes one variable: the comment says what the source calls it.
 * What the optimizer likes to take apart, to make a global of, or to put in place of a parameter is
 * static, and used by main alone. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct account {
    long id, balance;
};
struct node {
    struct node *next;
    int load;
};
struct flags {
    unsigned ready : 1, busy : 3, rest : 12;
};
struct message {
    int kind;
    union {
        int number;
        float ratio;
    };
    struct {
        int width, height;
    };
};
union word {
    unsigned char bytes[8];
    unsigned long whole;
};
struct buffer {
    int used, slots[16];
};
struct text {
    int length, tail[];
};
struct leaf {
    int v[3];
};
struct tree {
    struct leaf leaves[4];
};
struct big {
    long a[8];
};
struct pair {
    int x, y;
};
struct object {
    int count;
    struct node link;
};

int counter, table[20], grid[4][5];
static int hits, done, values[6];
static struct {
    int total, count;
    struct {
        int low, high;
    } inner;
} stats;
static struct account *acct, one, *array, *some[4], *first, *second;
static int *cell, **cells;
static struct node *head, *linked;
struct flags flags, state;
static struct flags *more_flags;
struct message message, other;
static union word *word;
static struct buffer *buffer;
static struct text *text;
static struct tree *tree;
static struct big big, *large;
static struct pair pair;
static char cache[512], line[64];
static struct object *object;
static volatile int zero;

static inline void deposit(struct account *to, long n)
{
    to->balance += n; /* name: to->balance */
}

static inline void bump(int *p)
{
    *p += 1; /* name: *p */
}

static long *balance_of(struct account *of)
{
    return &of->balance;
}

#define FIELD(x) ((x)->balance)

__attribute__((noinline)) static void globals(long me)
{
    static long calls;

    counter += 1;                        /* name: counter */
    hits += (int)me;                     /* name: hits */
    done = 1;                            /* name: done */
    calls++;                             /* name: calls */
    stats.total += (int)me;              /* name: stats.total */
    stats.inner.high += (int)me;         /* name: stats.inner.high */
    table[7] += 1;                       /* name: table[7] */
    table[zero] += 1;                    /* name: table[] */
    grid[2][3] += 1;                     /* name: grid[2][3] */
    grid[zero][3] += 1;                  /* name: grid[][] */
    pair = (struct pair){(int)me, zero}; /* name: pair */
    memset(line, (int)me, 32);           /* name: line */
}

__attribute__((noinline)) static void pointers(long me)
{
    struct big mine = {.a = {me, zero}};
    struct object *container = (struct object *)((char *)linked - offsetof(struct object, link));
    struct account *chosen = zero ? first : second;
    char from[16];

    memset(from, (int)me + zero, sizeof(from));
    acct->balance += me; /* name: acct->balance */
    deposit(&one, me);
    bump(cell);
    **cells += 1;                /* name: **cells */
    head->next->next->load += 1; /* name: head->next->next->load */
    for (struct node *it = head; it; it = it->next)
        it->load += 1;             /* name: it->load */
    array[2].balance += 1;         /* name: array[2].balance */
    array[zero].balance += 1;      /* name: array[].balance */
    some[2]->balance += 1;         /* name: some[2]->balance */
    buffer->slots[5] += 1;         /* name: buffer->slots[5] */
    buffer->slots[zero] += 1;      /* name: buffer->slots[] */
    text->tail[3] += 1;            /* name: text->tail[3] */
    text->tail[zero] += 1;         /* name: text->tail[] */
    tree->leaves[2].v[1] += 1;     /* name: tree->leaves[2].v[1] */
    big = mine;                    /* name: big */
    *large = mine;                 /* name: *large */
    memcpy(cache + 240, from, 16); /* name: cache[240] */
    FIELD(first) += 1;             /* name: first->balance */
    *balance_of(array) += 1;       /* name: *balance_of() */
    container->count += 1;         /* name: container->count */
    chosen->balance += 1;          /* name: chosen->balance */
    for (int *v = values; v < values + 6; v++)
        *v += 1; /* name: *v */
}

__attribute__((noinline)) static void parts(long me)
{
    flags.ready = 1;           /* name: flags.ready */
    state.busy = (unsigned)me; /* name: state.busy */
    more_flags->rest++;        /* name: more_flags->rest */
    other.number += 1;         /* name: other.number */
    message.ratio += 1;        /* name: message.ratio */
    message.height += 1;       /* name: message.height */
    word->whole += 1;          /* name: word->whole */
    word->bytes[zero] += 1;    /* name: word->bytes[] */
}

static void *work(void *argument)
{
    globals((long)argument);
    pointers((long)argument);
    parts((long)argument);
    return NULL;
}

static struct node *new_list(int length)
{
    struct node *list = NULL;

    while (length-- > 0) {
        struct node *node = calloc(1, sizeof(*node));

        node->next = list;
        list = node;
    }
    return list;
}

int main(void)
{
    static int *a_cell;
    static struct object an_object;
    pthread_t threads[2];

    acct = malloc(sizeof(*acct));
    *acct = (struct account){0, 0};
    array = calloc(5, sizeof(*array));
    some[2] = calloc(1, sizeof(*some[2]));
    first = calloc(1, sizeof(*first));
    second = calloc(1, sizeof(*second));
    cell = calloc(1, sizeof(*cell));
    a_cell = calloc(1, sizeof(*a_cell));
    cells = &a_cell;
    head = new_list(4);
    linked = &an_object.link;
    object = &an_object;
    more_flags = calloc(1, sizeof(*more_flags));
    word = calloc(1, sizeof(*word));
    buffer = calloc(1, sizeof(*buffer));
    text = calloc(1, 64);
    tree = calloc(1, sizeof(*tree));
    large = calloc(1, sizeof(*large));
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return hits + done + stats.total + stats.inner.high + values[1] + (int)one.balance +
           (int)big.a[0] + pair.x + line[1] + cache[240] + object->count;
}
