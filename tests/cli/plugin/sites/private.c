/* What no other thread can reach has no site; what it may reach has one. */
#include <stdlib.h>
#include <string.h>

struct pair {
    int a, b;
};

void keep(int *);
void look(const struct pair *);

static const int primes[] = {2, 3, 5, 7};
const char *const words[] = {"a", "b"};
static _Thread_local int mine;
static _Thread_local int given;
_Thread_local int theirs;
static int *stored;

/* none: arithmetic */
int arithmetic(int a, int b)
{
    int c = a * b;

    return c + a;
}

/* none: local_array */
int local_array(int n)
{
    int a[4] = {n, 1, 2, 3};
    int sum = 0;

    for (int i = 0; i < (n & 3); i++)
        sum += a[i];
    return sum;
}

/* Without optimization the pointer to it is stored. */
/* none at -O1 -O2 -O3: local_struct */
int local_struct(int n)
{
    struct pair p = {n, 2}, q = p, *at = n ? &p : &q;

    at->a = 3;
    return p.a + q.b;
}

/* none: cleared */
int cleared(int n)
{
    char buffer[64];

    memset(buffer, 0, sizeof(buffer));
    memcpy(buffer, "abc", 4);
    return buffer[n & 63];
}

/* none: constants */
int constants(int i)
{
    return primes[i] + (words[i] == NULL);
}

/* none: copied */
int copied(struct pair p)
{
    p.a++;
    return p.a + p.b;
}

/* none: own_thread_local */
int own_thread_local(void)
{
    return ++mine;
}

/* site: passed_on write - 4 _ */
/* site: passed_on read - 4 _ */
int passed_on(void)
{
    int e = 1;

    keep(&e);
    return e;
}

/* site: put_away write - 8 stored */
/* site: put_away read - 4 _ */
/* may: put_away write - 4 _ */
int put_away(void)
{
    int e = 1;

    stored = &e;
    keep(NULL);
    return e;
}

/* site: given_thread_local write - 4 _ */
int given_thread_local(void)
{
    keep(&given);
    return ++given;
}

/* site: exported_thread_local write - 4 _ */
int exported_thread_local(void)
{
    return ++theirs;
}

/* site: allocated write - 4 *p */
int *allocated(void)
{
    int *p = malloc(sizeof(*p));

    *p = 1;
    return p;
}
