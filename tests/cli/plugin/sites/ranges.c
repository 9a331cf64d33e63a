/* Copies, and the memory and string functions, are accesses to ranges. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

struct big {
    int a[20];
};

char from[100], to[100];
struct big one, two;

/* site: copy write range 0 to */
/* site: copy read range 0 from */
void copy(size_t n)
{
    memcpy(to, from, n);
}

/* site: copy_all write range 0 to */
/* site: copy_all read range 0 from */
void copy_all(void)
{
    memcpy(to, from, sizeof(to));
}

/* site: move write range 0 to */
/* site: move read range 0 from[1] */
void move(size_t n)
{
    memmove(to, from + 1, n);
}

/* site: clear write range 0 to */
void clear(size_t n)
{
    memset(to, 0, n);
}

/* site: compare read range memcmp from */
/* site: compare read range memcmp to */
int compare(size_t n)
{
    return memcmp(from, to, n);
}

/* site: copy_string write range strcpy to */
/* site: copy_string read range strcpy *s */
void copy_string(const char *s)
{
    strcpy(to, s);
}

/* site: length read range strlen from */
size_t length(void)
{
    return strlen(from);
}

/* site: duplicate read range strdup *s */
char *duplicate(const char *s)
{
    return strdup(s);
}

/* none: duplicate_constant */
char *duplicate_constant(void)
{
    return strdup("hello");
}

/* site: assign write range 0 one */
/* site: assign read range 0 two */
void assign(void)
{
    one = two;
}

/* site: assign_pointed write range 0 *a */
/* site: assign_pointed read range 0 *b */
void assign_pointed(struct big *a, struct big *b)
{
    *a = *b;
}

/* A copy of few bytes is a load and a store once it is optimized. */
/* site at -O0: small write range 0 to */
/* site at -O0: small read range 0 from */
/* site at -O1 -O2 -O3: small write - 8 to */
/* site at -O1 -O2 -O3: small read - 8 from */
void small(void)
{
    memcpy(to, from, 8);
}
