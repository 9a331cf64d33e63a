/* Variables, fields and elements have the names that the source gives them. */
#include <stddef.h>

struct account {
    int id;
    long balance;
};
struct node {
    int id;
    struct node *next;
};
struct inner {
    int a, b;
};
struct outer {
    char tag;
    struct inner in;
    struct inner row[3];
    union {
        int as_int;
        float as_float;
    };
    struct {
        short x, y;
    };
    union {
        long word;
        char bytes[8];
    } u;
};
struct bits {
    unsigned low : 3, mid : 9, high : 20;
};
struct message {
    int length;
    char text[];
};
typedef struct account *handle;

int counter;
static int hidden;
struct account *acct;
struct account pool[4];
struct node tab[8];
struct node *list;
struct outer out;
struct bits flags;
int grid[4][5];
int *slots;
struct message *mail;
_Thread_local int per_thread;
extern int other_name __attribute__((alias("counter")));

/* Only its fields are used: the optimizer takes it apart. */
static struct {
    int hits;
    long total;
    int row[3];
    struct {
        short x, flag;
    } at;
} stats;

void keep(int *);

/* site: inc write - 4 counter */
void inc(void)
{
    counter++;
}

/* site: get_hidden read - 4 hidden */
int get_hidden(void)
{
    return hidden;
}

/* site: set_hidden write - 4 hidden */
void set_hidden(int v)
{
    hidden = v;
}

/* site: deposit write - 8 acct->balance */
void deposit(struct account *acct, long n)
{
    acct->balance += n;
}

/* site: deposit_global read - 8 acct */
/* site: deposit_global write - 8 acct->balance */
void deposit_global(long n)
{
    acct->balance += n;
}

/* site: through_typedef write - 4 h->id */
void through_typedef(handle h)
{
    h->id = 1;
}

/* site: link_tab write - 8 tab[].next */
void link_tab(int i)
{
    tab[i].next = &tab[i + 1];
}

/* site: fixed_tab write - 4 tab[3].id */
void fixed_tab(void)
{
    tab[3].id = 7;
}

/* site: through_index write - 8 accounts[].balance */
void through_index(struct account *accounts, int i)
{
    accounts[i].balance = 0;
}

/* site: find read - 4 p->id */
/* site: find read - 8 p->next */
struct node *find(struct node *p, int id)
{
    while (p && p->id != id)
        p = p->next;
    return p;
}

/* site: second read - 8 p->next */
/* site: second read - 4 p->next->id */
int second(struct node *p)
{
    return p->next->id;
}

/* site: nested write - 4 o->in.b */
void nested(struct outer *o)
{
    o->in.b = 1;
}

/* site: nested_row write - 4 o->row[].b */
void nested_row(struct outer *o, int i)
{
    o->row[i].b = 1;
}

/* site: nested_element write - 4 o->row[2].a */
void nested_element(struct outer *o)
{
    o->row[2].a = 1;
}

/* site: global_nested write - 4 out.in.a */
void global_nested(void)
{
    out.in.a = 2;
}

/* site: anonymous_union write - 4 o->as_int */
void anonymous_union(struct outer *o)
{
    o->as_int = 1;
}

/* site: anonymous_struct write - 2 o->y */
void anonymous_struct(struct outer *o)
{
    o->y = 1;
}

/* site: named_union write - 8 o->u.word */
void named_union(struct outer *o)
{
    o->u.word = 1;
}

/* site: first_bits write - 4 flags.low */
void first_bits(void)
{
    flags.low = 5;
}

/* site: other_bits write - 4 flags.mid */
void other_bits(void)
{
    flags.mid = 5;
}

/* site: slot read - 8 slots */
/* site: slot write - 4 slots[] */
void slot(int i)
{
    slots[i] = 1;
}

/* site: pointed_to write - 4 *p */
void pointed_to(int *p)
{
    *p = 1;
}

/* site: element write - 4 p[] */
void element(int *p, int i)
{
    p[i] = 1;
}

/* site: fixed_element write - 4 p[3] */
void fixed_element(int *p)
{
    p[3] = 1;
}

/* site: computed_element write - 4 p[] */
void computed_element(int *p, long i)
{
    p[2 * i] = 1;
}

/* site: static_local write - 4 calls */
int static_local(void)
{
    static int calls;

    return ++calls;
}

/* site: hit write - 4 stats.hits */
/* site: hit write - 8 stats.total */
/* site: hit write - 4 stats.row[1] */
void hit(long n)
{
    stats.hits++;
    stats.total += n;
    stats.row[1] = (int)n;
}

/* site: sum read - 4 stats.hits */
/* site: sum read - 8 stats.total */
/* site: sum read - 4 stats.row[1] */
long sum(void)
{
    return stats.hits + stats.total + stats.row[1];
}

/* It is only ever 0 or 3: the optimizer keeps one byte of it. */
/* site: set_flag write - _ stats.at.flag */
void set_flag(void)
{
    stats.at.flag = 3;
}

int get_flag(void)
{
    return stats.at.flag;
}

/* site: rows write - 4 grid[][] */
void rows(int i, int j)
{
    grid[i][j] = 1;
}

/* site: fixed_row write - 4 grid[2][3] */
void fixed_row(void)
{
    grid[2][3] = 1;
}

/* site: flexible read - 8 mail */
/* site: flexible write - 1 mail->text[] */
void flexible(int i)
{
    mail->text[i] = 'x';
}

/* site: shown_local write - 4 local */
void shown_local(void)
{
    int local = 1;

    keep(&local);
}

/* site: thread_local_variable write - 4 per_thread */
void thread_local_variable(void)
{
    per_thread++;
}

/* not yet: by_alias read - 4 other_name */
int by_alias(void)
{
    return other_name;
}

struct {
    unsigned first : 3, second : 5;
    int third : 20;
    unsigned last : 4;
} fields;

/* site: write_second write _ _ fields.second */
/* may: write_second read _ _ fields.second */
void write_second(unsigned n)
{
    fields.second = n;
}

/* site: set_last write _ _ fields.last */
/* may: set_last read _ _ fields.last */
void set_last(void)
{
    fields.last = 15;
}

/* site: clear_second write _ _ fields.second */
/* may: clear_second read _ _ fields.second */
void clear_second(void)
{
    fields.second = 0;
}

/* site: read_second read _ _ fields.second */
unsigned read_second(void)
{
    return fields.second;
}

/* site: read_third read _ _ fields.third */
int read_third(void)
{
    return fields.third;
}

/* site: read_last read _ _ fields.last */
unsigned read_last(void)
{
    return fields.last;
}
