/* Sections across calls: both ends are in this file, not both in one function. */
#include <pthread.h>

struct account {
    long id, balance;
};

struct account bank[4];
long total;
pthread_mutex_t lock;

/* none: get */
__attribute__((noinline)) static long get(struct account *a)
{
    pthread_mutex_lock(&lock);
    long found = a->balance;
    pthread_mutex_unlock(&lock);
    return found;
}

/* none: set */
__attribute__((noinline)) static void set(struct account *a, long value)
{
    pthread_mutex_lock(&lock);
    a->balance = value;
    pthread_mutex_unlock(&lock);
}

/* section: pair deposit a->balance entry=+4:read call=+4 end=+5:write:read leave=+5 inside=sync,calls,across */
void deposit(struct account *a, long x)
{
    int unused = 0;
    long old = get(a);
    set(a, old + x + unused);
}

/* section: pair down a->balance entry=+1:write end=+1:read:read leave=+1 inside=sync,calls,across */
long down(struct account *a) { a->balance = 7; return get(a); }

/* section: pair up a->balance entry=+1:write call=+1 end=+1:read:read inside=sync,calls,across */
long up(struct account *a) { set(a, 1); return a->balance; }

/* Another account is another variable. */
/* none: other */
void other(struct account *a, struct account *b) { set(a, get(b)); }

/* none: deeper */
__attribute__((noinline)) static long deeper(struct account *a) { return get(a) + 1; }

/* section: pair nested a->balance entry=+1:write end=+1:read:read leave=+1 inside=sync,calls,across */
long nested(struct account *a) { a->balance = 3; return deeper(a); }

/* none: bump */
__attribute__((noinline)) static void bump(void) { total = 1; pthread_mutex_lock(&lock); }

/* section: pair of_a_global total entry=+1:read end=+1:write:read leave=+1 inside=sync,calls,across */
long of_a_global(void) { long old = total; bump(); return old; }

/* Functions that call themselves come to an end. */
/* may: again */
/* section: load-and-store again total entry=+3:read end=+3:write:read */
__attribute__((noinline)) static void again(int n)
{
    total += n;
    pthread_mutex_lock(&lock);
    if (n > 0)
        again(n / 2);
}
void start(void) { again(9); }
